-- What rocprofv3 --output-format rocpd writes, schema 3, without the columns and tables that
-- sqlite2tsv does not read; the suffix _A stands for the uuid of the process.
CREATE TABLE rocpd_metadata_A (id INTEGER NOT NULL PRIMARY KEY, tag TEXT NOT NULL, value TEXT NOT NULL);
INSERT INTO rocpd_metadata_A (tag, value) VALUES ('schema_version', '3'), ('uuid', '_A');
CREATE TABLE rocpd_string_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, string TEXT NOT NULL UNIQUE);
INSERT INTO rocpd_string_A (id, string) VALUES (1, 'KERNEL_DISPATCH'), (2, 'HIP_RUNTIME_API_EXT'),
  (3, 'MARKER_CORE_RANGE_API'), (4, 'MEMORY_COPY'), (5, 'hipLaunchKernel'), (6, 'hipMemcpyAsync'),
  (7, 'roctxThreadRangeA'), (8, 'MEMORY_COPY_HOST_TO_DEVICE'), (9, 'MEMORY_COPY_DEVICE_TO_HOST'),
  (10, 'OMPT'), (11, 'omp_thread_begin'), (12, 'HSA_CORE_API'), (13, 'hsa_queue_create');
CREATE TABLE rocpd_info_process_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER NOT NULL,
  ppid INTEGER, pid INTEGER NOT NULL, command TEXT);
INSERT INTO rocpd_info_process_A VALUES (1, 'a', 1, 1, 4242, './vector_add');
CREATE TABLE rocpd_info_thread_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER NOT NULL,
  pid INTEGER NOT NULL, tid INTEGER NOT NULL);
INSERT INTO rocpd_info_thread_A VALUES (1, 'a', 1, 1, 4242), (2, 'a', 1, 1, 4250);
CREATE TABLE rocpd_info_agent_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER NOT NULL,
  pid INTEGER NOT NULL, type TEXT, absolute_index INTEGER, name TEXT, product_name TEXT);
INSERT INTO rocpd_info_agent_A VALUES (1, 'a', 1, 1, 'CPU', 0, 'AMD EPYC', NULL),
  (2, 'a', 1, 1, 'GPU', 4, 'gfx942', 'AMD Instinct MI300X');
CREATE TABLE rocpd_info_kernel_symbol_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER NOT NULL,
  pid INTEGER NOT NULL, kernel_name TEXT, display_name TEXT);
INSERT INTO rocpd_info_kernel_symbol_A VALUES (1, 'a', 1, 1, '_Z3addPf.kd', 'add(float*)'),
  (2, 'a', 1, 1, '_Z3mulPf.kd', 'mul(float*)');
CREATE TABLE rocpd_event_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER,
  parent_stack_id INTEGER, correlation_id INTEGER, extdata TEXT);
INSERT INTO rocpd_event_A VALUES (1, 'a', 2, 11, 0, 0, '{}'), (2, 'a', 1, 11, 11, 900, '{}'),
  (3, 'a', 2, 12, 0, 0, '{}'), (4, 'a', 4, 12, 12, 0, '{}'), (5, 'a', 3, 13, 0, 0, '{"message":"step \"1\""}'),
  (6, 'a', 10, 14, 0, 0, '{}'), (7, 'a', 12, 15, 0, 0, '{}'), (8, 'a', 3, 16, 0, 0, '{');
CREATE TABLE rocpd_kernel_dispatch_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER NOT NULL,
  pid INTEGER NOT NULL, tid INTEGER, agent_id INTEGER NOT NULL, kernel_id INTEGER NOT NULL,
  dispatch_id INTEGER NOT NULL, queue_id INTEGER NOT NULL, stream_id INTEGER, start BIGINT NOT NULL,
  end BIGINT NOT NULL, region_name_id INTEGER, event_id INTEGER);
INSERT INTO rocpd_kernel_dispatch_A VALUES
  (1, 'a', 1, 1, 1, 2, 1, 1, 3, 1, 5000000, 5012500, 5, 2),
  (2, 'a', 1, 1, 1, 2, 2, 2, 3, NULL, 5020000, 5030000, NULL, NULL);
CREATE TABLE rocpd_memory_copy_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER NOT NULL,
  pid INTEGER NOT NULL, tid INTEGER, start BIGINT NOT NULL, end BIGINT NOT NULL, name_id INTEGER NOT NULL,
  dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER NOT NULL, queue_id INTEGER, stream_id INTEGER,
  event_id INTEGER);
INSERT INTO rocpd_memory_copy_A VALUES (1, 'a', 1, 1, 1, 4990000, 4995000, 8, 2, 1, 1048576, NULL, 2, 4),
  (2, 'a', 1, 1, 1, 5040000, 5045000, 9, 1, 2, 1048576, 3, NULL, NULL);
CREATE TABLE rocpd_region_A (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER NOT NULL,
  pid INTEGER NOT NULL, tid INTEGER NOT NULL, start BIGINT NOT NULL, end BIGINT NOT NULL,
  name_id INTEGER NOT NULL, event_id INTEGER);
INSERT INTO rocpd_region_A VALUES (1, 'a', 1, 1, 1, 4999000, 5001000, 5, 1), (2, 'a', 1, 1, 1, 4980000, 4989000, 6, 3),
  (3, 'a', 1, 1, 1, 4900000, 5100000, 7, 5), (4, 'a', 1, 1, 2, 4800000, 4800100, 11, 6),
  (5, 'a', 1, 1, 2, 4700000, 4700100, 13, 7), (6, 'a', 1, 1, 2, 4701000, 4702000, 7, 8);
-- The views join the tables of one process alone, and lose dispatches without an event or a region.
CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch_A;

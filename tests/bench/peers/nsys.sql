-- What sqlite2tsv writes of a database of mksqlite, for sqlite3 -tabs.
SELECT k.start / 1000.0, (k.end - k.start) / 1000.0, '', s.value, 'kernel', 'X', deviceId, streamId, '', correlationId,
  '', streamId, '', '', deviceId, contextId, '', graphNodeId
FROM CUPTI_ACTIVITY_KIND_KERNEL AS k LEFT JOIN StringIds AS s ON s.id = k.demangledName;
SELECT r.start / 1000.0, (r.end - r.start) / 1000.0, '', s.value, CASE eventClass WHEN 1 THEN 'cuda_driver' ELSE 'cuda_runtime' END,
  'X', globalTid >> 24 & 16777215, globalTid & 16777215, '', correlationId, '', '', '', '', '', '', '', ''
FROM CUPTI_ACTIVITY_KIND_RUNTIME AS r LEFT JOIN StringIds AS s ON s.id = r.nameId;

/*
 * simdjson - the rows of `trace2tsv -H`, by simdjson's on-demand interface.
 *
 *   $ simdjson -c kernel trace.json
 *   1716543210123461.789	9.120		Memset_4	kernel	X	0	7
 *
 * Without -c the rows of all X events; with -m the file is mapped, where else
 * simdjson loads it. As quick as simdjson lets it be: an event is left at the
 * first member that rules it out, what stands in the text as the row wants it
 * is copied from there, and rows are put together in one buffer.
 */
#include <simdjson.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ondemand = simdjson::ondemand;

namespace
{

enum Column { TS, DUR, TYPE, NAME, CAT, PH, PID, TID, SOURCE, COLUMNS };

struct Row {
	std::string_view field[COLUMNS];
	std::string escaped[COLUMNS]; /* escaped text of fields that need it */
};

class Writer
{
  public:
	void put(const Row &row)
	{
		size_t length = COLUMNS;

		for (std::string_view field : row.field)
			length += field.size();
		if (length > SIZE - used)
			flush();
		if (length > SIZE)
			throw std::runtime_error("a row is too long");
		for (std::string_view field : row.field) {
			std::memcpy(buffer.get() + used, field.data(), field.size());
			used += field.size();
			buffer[used++] = '\t';
		}
		buffer[used - 1] = '\n';
	}

	void flush()
	{
		for (size_t at = 0; at < used;) {
			ssize_t n = write(STDOUT_FILENO, buffer.get() + at, used - at);

			if (n < 0)
				throw std::runtime_error(std::strerror(errno));
			at += static_cast<size_t>(n);
		}
		used = 0;
	}

  private:
	static constexpr size_t SIZE = 1 << 16;
	std::unique_ptr<char[]> buffer{new char[SIZE]};
	size_t used = 0;
};

/* What kev(5) escapes. */
void escape(std::string_view text, std::string &out)
{
	out.clear();
	for (char c : text) {
		switch (c) {
		case '\t':
			out += "\\t";
			break;
		case '\n':
			out += "\\n";
			break;
		case '\r':
			out += "\\r";
			break;
		case '\\':
			out += "\\\\";
			break;
		case '\0':
			out += "\\0";
			break;
		default:
			out += c;
		}
	}
}

void take(Row &row, Column column, ondemand::value value)
{
	std::string_view token = value.raw_json_token();

	while (std::strchr(" \n\r\t", token.back())) /* it reaches up to the next one */
		token.remove_suffix(1);
	if (token.front() != '"') {
		row.field[column] = token;
	} else if (!std::memchr(token.data(), '\\', token.size())) {
		row.field[column] = token.substr(1, token.size() - 2); /* no control byte: it is JSON */
	} else {
		escape(value.get_string(), row.escaped[column]);
		row.field[column] = row.escaped[column];
	}
}

/* A member that is not there leaves its field empty. */
void take_member(Row &row, Column column, ondemand::object &event, std::string_view name)
{
	ondemand::value value;

	if (event.find_field_unordered(name).get(value) == simdjson::SUCCESS)
		take(row, column, value);
}

void take_args(Row &row, ondemand::object &event)
{
	ondemand::object args;

	if (event.find_field_unordered("args").get(args) != simdjson::SUCCESS)
		return;
	for (ondemand::field member : args) {
		ondemand::raw_json_string key = member.key();

		if (key == "kernel_type")
			take(row, TYPE, member.value());
		else if (key == "source")
			take(row, SOURCE, member.value());
	}
}

/* False as soon as the event is none that is wanted. */
bool take_event(Row &row, ondemand::object event, std::string_view category)
{
	for (std::string_view &field : row.field)
		field = "";
	take_member(row, PH, event, "ph");
	if (row.field[PH] != "X")
		return false;
	take_member(row, CAT, event, "cat");
	if (!category.empty() && row.field[CAT] != category)
		return false;
	/* In the order of the text: then each is found where the last one ended. */
	take_member(row, NAME, event, "name");
	take_member(row, PID, event, "pid");
	take_member(row, TID, event, "tid");
	take_member(row, TS, event, "ts");
	take_member(row, DUR, event, "dur");
	take_args(row, event);
	return true;
}

void write_rows(simdjson::padded_string_view text, std::string_view category)
{
	ondemand::parser parser;
	ondemand::document trace = parser.iterate(text);
	Row row;
	Writer out;

	for (ondemand::object event : trace["traceEvents"].get_array())
		if (take_event(row, event, category))
			out.put(row);
	out.flush();
}

void *checked(void *memory)
{
	if (memory == MAP_FAILED)
		throw std::runtime_error(std::strerror(errno));
	return memory;
}

/* The file's pages with empty ones behind them, as simdjson looks beyond the end. */
simdjson::padded_string_view map(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		throw std::runtime_error(std::strerror(errno));

	size_t size = static_cast<size_t>(status.st_size);
	size_t room = size + simdjson::SIMDJSON_PADDING;
	void *text = checked(mmap(nullptr, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

	checked(mmap(text, size, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd, 0));
	close(fd);
	return simdjson::padded_string_view(static_cast<const char *>(text), size, room);
}

} // namespace

int main(int argc, char **argv)
{
	std::string_view category;
	bool mapped = false;
	int letter;

	while ((letter = getopt(argc, argv, "c:m")) == 'c' || letter == 'm') {
		if (letter == 'c')
			category = optarg;
		else
			mapped = true;
	}
	if (letter != -1 || optind != argc - 1) {
		std::cerr << "usage: simdjson [-m] [-c CATEGORY] FILE\n";
		return 2;
	}
	try {
		if (mapped)
			write_rows(map(argv[optind]), category);
		else
			write_rows(simdjson::padded_string(simdjson::padded_string::load(argv[optind])),
			           category);
	} catch (const std::exception &error) {
		std::cerr << "simdjson: " << argv[optind] << ": " << error.what() << '\n';
		return 1;
	}
	return 0;
}

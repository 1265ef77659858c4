/*
 * duckdb.js THREADS JOB FILE.kev... - what kgroup, kselect and kjoin give, by DuckDB.
 *
 *	group		kgroup -k name
 *	quantiles	kgroup -k name -q 50,99
 *	select		kselect -w 'dur > 100'
 *	join		kjoin -k ts, of two files, the second with the columns ts and label
 *
 * DuckDB is told all that it would else find out by a look at the file, and no field is read as
 * more than its job needs: ts is text, as decimals of 19 digits take a hundred times as long to
 * join, and as doubles they are not exact. dur is a decimal: sums are exact, and no slower.
 */
'use strict';

const { DuckDBInstance } = require('@duckdb/node-api');

const core = {
	ts: 'VARCHAR', dur: 'DECIMAL(18, 3)', type: 'VARCHAR', name: 'VARCHAR', cat: 'VARCHAR',
	ph: 'VARCHAR', pid: 'VARCHAR', tid: 'VARCHAR', source: 'VARCHAR',
};

function stream(file, columns) {
	const types = Object.entries(columns).map(([name, type]) => `'${name}': '${type}'`);

	return `read_csv('${file}', auto_detect = false, header = false, comment = '#', delim = '\t',
		quote = '', escape = '', columns = {${types.join(', ')}})`;
}

const jobs = {
	group: (file) => `SELECT name, count(*), sum(dur) FROM ${stream(file, core)} GROUP BY name`,
	quantiles: (file) => `SELECT name, n, total, q[1], q[2] FROM (
		SELECT name, count(*) AS n, sum(dur) AS total, quantile_disc(dur, [0.5, 0.99]) AS q
		FROM ${stream(file, core)} GROUP BY name)`,
	select: (file) => `SELECT * FROM ${stream(file, core)} WHERE dur > 100`,
	join: (left, right) => `SELECT l.*, label FROM ${stream(left, core)} AS l
		JOIN ${stream(right, { ts: 'VARCHAR', label: 'VARCHAR' })} USING (ts)`,
};

async function main(threads, job, ...files) {
	const database = await DuckDBInstance.create(':memory:', { threads });
	const connection = await database.connect();

	await connection.run(`COPY (${jobs[job](...files)})
		TO '/dev/stdout' (DELIMITER '\t', HEADER false, QUOTE '')`);
}

main(...process.argv.slice(2));

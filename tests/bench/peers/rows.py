# What `csv2tsv` does with a kernel_details.csv, with Python's csv module.
import csv
import sys

columns = ["Start Time(us)", "Duration(us)", "Type", "Name", "Accelerator Core", "Device_id", "Stream ID"]
with open(sys.argv[1], newline="") as table:
    rows = csv.reader(table)
    head = next(rows)
    at = [head.index(name) for name in columns]
    for row in rows:
        if row[at[2]]:
            print("\t".join([row[i].strip() for i in at]))

"""Print the outcomes of the fault tests as a table: table.py BUILD/tests/faults/outcomes.jsonl"""

import collections
import json
import sys

with open(sys.argv[1]) as book:
    lines = [json.loads(line) for line in book]

counts = collections.Counter((line["fault"], line["outcome"]) for line in lines)
print("| fault | times | outcome |\n| --- | --- | --- |")
for (fault, outcome), count in sorted(counts.items()):
    print(f"| {fault} | {count} | {outcome} |")

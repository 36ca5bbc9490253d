#!/usr/bin/env python3
"""Tables and pictures of what sedge-bench wrote with --output.

    plot.py growth OUT.png GRAPH.json SINGLY.json [LARGE.json ...]
    plot.py tuned OUT.png RULE.json TUNED.json [MORE.json ...]

growth: time per unknown and stage over the size of the mesh, steps as graphs and launched one by
one; further files go on with the graphs. tuned: the tuner's choice beside the rule's, every order
and precision that both have; of further files, too. The table goes to standard output.
"""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def read(path):
    with open(path) as file:
        return json.load(file)


def unknowns(case):
    n = case["order"]
    return case["elements"] * (n + 1) * (n + 2) * (n + 3)  # six fields of Np nodes


def print_row(*words):
    print("| " + " | ".join(str(word) for word in words) + " |")


def print_head(*words):
    print_row(*words)
    print_row(*("---" for _ in words))


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def plot_growth(out, graph, singly, *large):
    whole = read(graph)
    cases = whole["cases"] + [case for path in large for case in read(path)["cases"]]
    single = {case["elements"]: case for case in read(singly)["cases"]}
    print_head("tets", "unknowns", "us/stage", "ps/unknown", "singly us/stage", "ps/unknown", "of floor")
    for case in cases:
        other = single.get(case["elements"])
        size = unknowns(case)
        print_row(case["elements"], size, f"{1e6 * case['stage_seconds']:.1f}",
                  f"{1e12 * case['stage_seconds'] / size:.2f}",
                  f"{1e6 * other['stage_seconds']:.1f}" if other else "",
                  f"{1e12 * other['stage_seconds'] / size:.2f}" if other else "",
                  f"{case['fraction_of_floor']:.3f}")
    figure, axes = plt.subplots(figsize=(7, 4.2))
    axes.loglog([unknowns(case) for case in cases],
                [1e12 * case["stage_seconds"] / unknowns(case) for case in cases], "o-",
                label="steps as graphs")
    axes.loglog([unknowns(case) for case in single.values()],
                [1e12 * case["stage_seconds"] / unknowns(case) for case in single.values()], "s--",
                label="launched one by one")
    floor = [1e12 * case["floor_seconds"] / unknowns(case) for case in cases]
    axes.loglog([unknowns(case) for case in cases], floor, "k:", label="floor")
    axes.axvline(2.0**31, color="grey", linewidth=0.8)
    axes.text(2.0**31, axes.get_ylim()[1], " $2^{31}$", va="top", ha="right", color="grey")
    axes.set_xlabel("unknowns")
    axes.set_ylabel("ps a stage and unknown")
    axes.set_title(f"order {cases[0]['order']}, {cases[0]['precision']}, {whole['device']['name']}")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    save(figure, out)


def plot_tuned(out, rule, *tuned):
    first = read(rule)
    known = {(case["order"], case["precision"]): case for case in first["cases"]}
    chosen = {(case["order"], case["precision"]): case
              for path in tuned for case in read(path)["cases"]}
    keys = sorted(key for key in chosen if key in known)
    print_head("order", "real", "rule", "us/stage", "of floor", "tuned", "us/stage", "of floor",
               "rule / tuned")
    for key in keys:
        a, b = known[key], chosen[key]
        same = a["variant"] == b["variant"]
        print_row(*key, a["variant"], f"{1e6 * a['stage_seconds']:.1f}", f"{a['fraction_of_floor']:.3f}",
                  "the same" if same else b["variant"], f"{1e6 * b['stage_seconds']:.1f}",
                  f"{b['fraction_of_floor']:.3f}", f"{a['stage_seconds'] / b['stage_seconds']:.3f}")
    precisions = sorted({key[1] for key in keys})
    figure, all_axes = plt.subplots(1, len(precisions), figsize=(4.2 * len(precisions), 3.8),
                                    squeeze=False)
    for axes, precision in zip(all_axes[0], precisions):
        orders = [key[0] for key in keys if key[1] == precision]
        for shift, cases, label in ((-0.2, known, "rule"), (0.2, chosen, "tuned")):
            axes.bar([order + shift for order in orders],
                     [cases[order, precision]["dofs_per_second"] / 1e9 for order in orders], 0.4,
                     label=label)
        if precision == "fp32":
            axes.plot(orders, [known[order, precision]["midg2_fp32_dofs_per_second"] / 1e9
                               for order in orders], "k_", markersize=14, label="MIDG2")
        axes.set_title(precision)
        axes.set_xlabel("order")
        axes.set_ylabel("GDOF/s")
        axes.set_xticks(orders)
        axes.grid(True, axis="y", alpha=0.3)
        axes.legend()
    save(figure, out)


def main():
    modes = {"growth": (plot_growth, 3), "tuned": (plot_tuned, 3)}
    words = sys.argv[1:]
    if not words or words[0] not in modes or len(words) - 1 < modes[words[0]][1]:
        sys.exit(__doc__)
    modes[words[0]][0](*words[1:])


main()

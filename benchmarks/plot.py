#!/usr/bin/env python3
"""Tables and pictures of what sedge-bench wrote with --output.

    plot.py growth OUT.png GRAPH.json SINGLY.json [LARGE.json ...]
    plot.py tuned OUT.png TUNED.json [MORE.json ...]
    plot.py scaling OUT.png FILE.json ...

growth: time per unknown and stage over the size of the mesh, steps as graphs and launched one by
one; further files go on with the graphs. tuned: what `--tune` chose for every order and precision
beside the rule's choice, whose time the tuner took, too. scaling: what scaling.sh wrote, on any
numbers of ranks, with a case of one rank for each; of several measurements of a case the last given
counts. The table goes to standard output.
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


def plot_tuned(out, *paths):
    cases = {(case["order"], case["precision"]): case for path in paths for case in read(path)["cases"]}
    keys = sorted(cases)
    print_head("order", "real", "chosen", "us/stage", "GDOF/s", "of floor", "rule / chosen", "timed",
               "seconds")
    for key in keys:
        case = cases[key]
        gain = case["rule_over_chosen"]
        print_row(*key, case["variant"], f"{1e6 * case['stage_seconds']:.1f}",
                  f"{case['dofs_per_second'] / 1e9:.1f}", f"{case['fraction_of_floor']:.3f}",
                  "the rule's" if gain == 1 else f"{gain:.3f}", case["candidates_timed"],
                  f"{case['tuning_seconds']:.1f}")
    precisions = sorted({key[1] for key in keys})
    figure, all_axes = plt.subplots(1, len(precisions), figsize=(4.2 * len(precisions), 3.8),
                                    squeeze=False)
    for axes, precision in zip(all_axes[0], precisions):
        orders = [key[0] for key in keys if key[1] == precision]
        rates = [cases[order, precision]["dofs_per_second"] / 1e9 for order in orders]
        gains = [cases[order, precision]["rule_over_chosen"] or 1 for order in orders]
        axes.bar([order - 0.2 for order in orders], [r / g for r, g in zip(rates, gains)], 0.4,
                 label="rule")
        axes.bar([order + 0.2 for order in orders], rates, 0.4, label="tuned")
        if precision == "fp32":
            axes.plot(orders, [cases[order, precision]["midg2_fp32_dofs_per_second"] / 1e9
                               for order in orders], "k_", markersize=14, label="MIDG2")
        axes.set_title(precision)
        axes.set_xlabel("order")
        axes.set_ylabel("GDOF/s")
        axes.set_xticks(orders)
        axes.grid(True, axis="y", alpha=0.3)
        axes.legend()
    save(figure, out)


def print_scaling(times, counts):
    print_head("order", "real", "tets", *(f"{n} GPU{'s' * (n > 1)}, us" for n in counts),
               *(f"speed-up by {n}" for n in counts[1:]), "MB sent a stage", "halo elements")
    for key in sorted({key[1:] for key in times}):
        here = {n: times[n, *key] for n in counts if (n, *key) in times}
        most = here[max(here)]
        row = [f"{1e6 * here[n]['stage_seconds']:.1f}" if n in here else "" for n in counts]
        for n in counts[1:]:
            both = n in here and 1 in here
            row.append(f"{here[1]['stage_seconds'] / here[n]['stage_seconds']:.2f}" if both else "")
        print_row(*key, *row, f"{most['exchange_bytes'] / 1e6:.2f}",
                  f"{100 * most['most_halo_elements'] / most['most_elements']:.1f} %")


def plot_scaling(out, *paths):
    times = {}
    for path in paths:
        whole = read(path)
        for case in whole["cases"]:
            times[whole["ranks"], case["order"], case["precision"], case["elements"]] = case
    counts = sorted({key[0] for key in times})
    print_scaling(times, counts)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2))
    keys = [key for key in sorted({key[1:] for key in times})
            if key[1] == "fp32" and key[2] >= 300000 and all((n, *key) in times for n in counts)]
    orders = sorted({key[0] for key in keys})
    sizes = sorted({key[2] for key in keys})
    for key in keys:  # colour by order, line by size
        left.plot(counts, [times[1, *key]["stage_seconds"] / times[n, *key]["stage_seconds"]
                           for n in counts],
                  f"C{orders.index(key[0])}o" + ("--", "-.", "-")[sizes.index(key[2]) % 3],
                  label=f"order {key[0]}, {key[2] / 1e6:.2f} million")
    left.plot(counts, counts, "k:", label="ideal")
    left.set_xticks(counts)
    left.set_xlabel("GPUs")
    left.set_ylabel("speed-up")
    for n in counts:
        sizes = sorted(key[3] for key in times if key[:3] == (n, 3, "fp32"))
        right.loglog(sizes, [1e6 * times[n, 3, "fp32", size]["stage_seconds"] for size in sizes],
                     "o-", label=f"{n} GPU{'s' * (n > 1)}")
    right.set_xlabel("tetrahedra, order 3, fp32")
    right.set_ylabel("us a stage")
    for axes in (left, right):
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(fontsize=8)
    save(figure, out)


def main():
    modes = {"growth": (plot_growth, 3), "tuned": (plot_tuned, 2),
             "scaling": (plot_scaling, 2)}
    words = sys.argv[1:]
    if not words or words[0] not in modes or len(words) - 1 < modes[words[0]][1]:
        sys.exit(__doc__)
    modes[words[0]][0](*words[1:])


main()

#!/usr/bin/env python3
"""Two made traces of one model, for kfusion: mkfusion.py SEED A B.

The layers of B are those of A with some kernels fused, split, renamed, repeated or moved.
"""
import random
import sys

CLASSES = ["RMSNorm", "Dense GEMM", "Attention (Decode)", "RMSNorm+GEMM", "Activation", "Elementwise", "Quantization",
           "Triton Fused", "Reduce", "Softmax", "Indexing", "Copy/Memory", "Collective", "Other", "MoE GEMM",
           "MoE Finalize", "MoE Routing", "part", "Random", "MoE GEMM+SwiGLU", "RMSNorm+Dense GEMM"]


def change(rng, layer):
    layer = list(layer)
    for _ in range(rng.randint(0, 4)):
        i = rng.randrange(len(layer))
        what = rng.randrange(6)
        if what == 0 and len(layer) > 2:
            del layer[i]
        elif what == 1:
            layer.insert(i, rng.choice(CLASSES))
        elif what == 2:
            layer[i] = rng.choice(CLASSES)
        elif what == 3:
            layer[i:i + 1] = [layer[i]] * rng.randint(2, 4)
        elif what == 4:
            rng.shuffle(layer)
        elif "RMSNorm" in layer:
            at = layer.index("RMSNorm")
            layer[at:at + 2] = ["RMSNorm+GEMM"] if rng.random() < 0.5 else ["RMSNorm", "Dense GEMM"]
    return layer


def write(rng, path, layer, steps, layers, has_steps):
    with open(path, "w") as out:
        print("#ts", "dur", "name", "pid", "correlation", "op", "pattern", *["step"] * has_steps, sep="\t", file=out)
        ts, correlation = 0, 0
        for step in range(steps):
            graph = rng.random() < 0.7
            for _ in range(layers):
                for op in layer if rng.random() < 0.9 else change(rng, layer):
                    correlation += not graph
                    ts += rng.randint(1, 3)
                    name = "reduce_segments" if op == "part" else "k"
                    op = "Attention (Decode)" if op == "part" else op
                    print(ts, rng.randint(0, 900) / 8, name, step % 2 if layers % 2 else 0,
                          f"1{step}" if graph else 10000 + correlation, op, name,
                          *[step if rng.random() < 0.98 else ""] * has_steps, sep="\t", file=out)
            correlation += 1


def main():
    rng = random.Random(int(sys.argv[1]))
    layer = [rng.choice(CLASSES) for _ in range(rng.randint(2, 9))]
    layers, steps, has_steps = rng.randint(4, 14), rng.randint(1, 9), rng.random() < 0.8
    write(rng, sys.argv[2], layer, steps, layers, has_steps)
    write(rng, sys.argv[3], change(rng, layer), max(1, steps + rng.randint(-1, 1)), layers, has_steps)


main()

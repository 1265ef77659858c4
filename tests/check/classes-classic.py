#!/usr/bin/env python3
"""classes-classic.py A.json[.gz] B.json[.gz]: what kdiff says of two Kineto traces by the
classic classes, its first columns, computed from the JSON alone by the rules as they are told:
classes, counts, exact totals, averages, ratios, gaps and status, sorted as kdiff sorts them."""
import gzip
import json
import sys
from decimal import Decimal
from fractions import Fraction


def load(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal, parse_int=Decimal, strict=False)


def platform_of(trace):
    if "roctracer_version" in trace:
        return "AMD"
    properties = trace.get("deviceProperties") or [{}]
    return "AMD" if properties[0].get("warpSize") == 64 else "NVIDIA"


def classify(name, platform):
    """The class; None where nothing applies is Other."""
    lower = name.lower()

    def has(*words):
        return any(word in lower for word in words)

    amd = platform == "AMD"
    if has("attention", "fmha"):
        if amd and not has("2d") and has("3d"):
            return "Attention (Decode)"
        if not amd and not has("fmhasm100a", "context") and has("fmhasm100f", "forgen"):
            return "Attention (Decode)"
        return "Attention (Prefill)"
    if has("reshape_and_cache"):
        return "KV Cache"
    if has("_matmul_ogs_") or (name.startswith("bmm_") and has("dynbatch")):
        return "MoE GEMM+SwiGLU" if has("swiglu") else "MoE GEMM"
    if has("topk", "routing", "bitmatrix", "moe_forward"):
        return "MoE Routing"
    if has("finalize") or (has("scatter") and has("moe")):
        return "MoE Finalize"
    if has("triton") and (has("rsqrt") or (has("mean") and has("mul") and has("pow"))):
        return "RMSNorm+GEMM" if has("gemm", "addmm") else "RMSNorm"
    if name.startswith(("Cijk_", "Custom_Cijk_", "nvjet_")) or has("cublaslt", "wvsplitk"):
        return "Dense GEMM"
    if has("triton_poi", "triton_red", "triton_per"):
        return "Triton Fused"
    if "at::native::" in name:
        return "Elementwise"
    if has("sort", "merge"):
        return "Sorting"
    if has("reduce_segments", "devicereduce") or (has("reduce") and has("devicescan")):
        return "Reduce"
    if has("copy", "memcpy"):
        return "Copy/Memory"
    return "Other"


def sums(path):
    trace = load(path)
    platform = platform_of(trace)
    classes = {}
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") == "kernel":
            entry = classes.setdefault(classify(event["name"], platform), [0, Fraction(0)])
            entry[0] += 1
            entry[1] += Fraction(Decimal(event["dur"]))
    return classes


def figure(value):
    """12 significant digits, half to even, normalised."""
    if value == 0:
        return "0"
    sign, value = ("-", -value) if value < 0 else ("", value)
    places = 12
    while value >= 10 ** (12 - places):
        places -= 1
    while value * 10**places < 10**11:
        places += 1
    digits = str(round(value * Fraction(10) ** places))
    text = Decimal(digits).scaleb(-places)
    return sign + format(text.normalize(), "f")


def exact(value):
    text = format(Decimal(value.numerator) / Decimal(value.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def rows(first, second):
    for side, other in ((first, second), (second, first)):
        if ("RMSNorm+GEMM" in side and "RMSNorm" not in side
                and "RMSNorm" in other and "RMSNorm+GEMM" not in other):
            other["RMSNorm+GEMM"] = other.pop("RMSNorm")
            break
    for op in sorted(set(first) | set(second)):
        (n1, t1), (n2, t2) = first.get(op, (0, Fraction(0))), second.get(op, (0, Fraction(0)))
        gap = t1 - t2
        if n1 == 0 or n2 == 0:
            ratio = average_ratio = "0"
            status = "trace1_only" if n1 else "trace2_only"
        else:
            if t2 == 0:
                ratio = average_ratio = "inf" if t1 else "1"
            else:
                ratio, average_ratio = figure(t1 / t2), figure((t1 / n1) / (t2 / n2))
            status = "slower" if gap > 5000 else "faster" if gap < -5000 else "similar"
        averages = [figure(t / n) if n else "0" for n, t in ((n1, t1), (n2, t2))]
        yield -abs(gap), op, [op, exact(gap), status, str(n1), str(n2), exact(t1), exact(t2),
                              *averages, ratio, average_ratio]


def main():
    for _, _, row in sorted(rows(sums(sys.argv[1]), sums(sys.argv[2]))):
        print("\t".join(row))


main()

#!/usr/bin/env python3
"""Records the traces of this folder, of work whose answer is known.

    record.py FOLDER [NAME...]

Needs PyTorch and a GPU. Products are timed by CUDA events, outside of the profiler.
"""
import gzip
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch._C._profiler import _ExperimentalConfig
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile, record_function, schedule

FOLDER = sys.argv[1]
BF16, FP16, FP32, FP8 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn
ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
torch.backends.cuda.matmul.allow_tf32 = False


def save(prof, name):
    """Writes a trace without the folders of this machine."""
    path = os.path.join(FOLDER, name + ".json")
    prof.export_chrome_trace(path)
    with open(path, "rb") as file:
        text = file.read()
    os.remove(path)
    for folder in (FOLDER, f"/tmp/torchinductor_{os.environ.get('USER', 'root')}"):
        text = text.replace(folder.encode() + b"/", b"")
    with open(path + ".gz", "wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as file:
        file.write(text)


def table(name, *lines):
    with open(os.path.join(FOLDER, name + ".tsv"), "w", encoding="utf-8") as file:
        for line in lines:
            print(*line, sep="\t", file=file)


def tensors(seed):
    generator = torch.Generator("cuda").manual_seed(seed)

    def tensor(*shape, dtype=BF16, grad=False):
        values = torch.randn(*shape, device="cuda", dtype=FP32, generator=generator)
        return values.to(dtype).requires_grad_(grad)

    return tensor


def median_us(run, count=10):
    for _ in range(3):
        run()
    times = []
    for _ in range(count):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1000)
    return sorted(times)[count // 2]


def products():
    """Products of known shapes, five calls of each."""
    t = tensors(1)
    square, square2 = t(4096, 4096), t(4096, 4096)
    tall, tall2 = t(8192, 2816), t(2816, 1024)
    half, half2, half_bias = t(2048, 1024, dtype=FP16), t(1024, 4096, dtype=FP16), t(4096, dtype=FP16)
    rows, weight, bias = t(4, 512, 1024), t(3072, 1024), t(3072)
    batch, batch2, sums = t(32, 512, 64), t(32, 64, 512), t(32, 512, 512)
    single, single2 = t(1024, 1024, dtype=FP32), t(1024, 1024, dtype=FP32)
    eight, eight2, one = t(2048, 2048).to(FP8), t(2048, 2048).to(FP8).t(), torch.ones((), device="cuda")
    vector = t(4096)
    cases = [
        ("mm 4096 bf16", 2 * 4096**3, 3 * 4096 * 4096 * 2, lambda: torch.mm(square, square2)),
        ("mm 8192x1024x2816 bf16", 2 * 8192 * 1024 * 2816, 2 * (8192 * 2816 + 2816 * 1024 + 8192 * 1024),
         lambda: torch.mm(tall, tall2)),
        ("addmm 2048x4096x1024 fp16", 2 * 2048 * 4096 * 1024 + 2048 * 4096, "",
         lambda: torch.addmm(half_bias, half, half2)),
        ("linear 4x512x1024->3072 bf16 bias", "", "", lambda: F.linear(rows, weight, bias)),
        ("bmm 32x512x512x64", 2 * 32 * 512 * 512 * 64, "", lambda: torch.bmm(batch, batch2)),
        ("mm 1024 fp32", 2 * 1024**3, "", lambda: torch.mm(single, single2)),
        ("baddbmm 32x512x512x64", "", "", lambda: torch.baddbmm(sums, batch, batch2)),
        ("scaled_mm 2048 fp8", 2 * 2048**3, "", lambda: torch._scaled_mm(eight, eight2, one, one, out_dtype=BF16)),
        ("mv 4096", "", "", lambda: torch.mv(square, vector)),
    ]
    table("products", ("#case", "flops", "bytes", "event_us"),
          *((name, flops, size, round(median_us(run), 3)) for name, flops, size, run in cases))
    with profile(activities=ACTIVITIES, record_shapes=True) as prof:
        for name, _, _, run in cases:
            with record_function("CASE " + name):
                for _ in range(5):
                    run()
        torch.cuda.synchronize()
    save(prof, "products")


def operators():
    """An operator of each kind, forward and most backward, one call of each."""
    t = tensors(2)
    cases = []

    def both(name, forward):
        def run():
            out = forward()
            out.backward(torch.ones_like(out))
        cases.append((name, run))

    q, k, v, q128 = (t(2, 8, n, 64, grad=True) for n in (1024, 1024, 1024, 128))

    def attention(backend, causal, query=q):
        def forward():
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(query, k, v, is_causal=causal)
        return forward

    for backend, name in ((SDPBackend.FLASH_ATTENTION, "flash"), (SDPBackend.EFFICIENT_ATTENTION, "efficient"),
                          (SDPBackend.CUDNN_ATTENTION, "cudnn"), (SDPBackend.MATH, "math")):
        for causal in (False, True):
            both(f"attention {name} causal={causal} 2x8x1024x64", attention(backend, causal))
    both("attention flash cross 128x1024", attention(SDPBackend.FLASH_ATTENTION, False, q128))

    image, filters, filter_bias = t(8, 64, 56, 56, grad=True), t(128, 64, 3, 3, grad=True), t(128, grad=True)
    deep, transposed = t(64, 1, 3, 3, grad=True), t(64, 32, 4, 4, grad=True)
    both("conv 8x64x56x56 128x3x3", lambda: F.conv2d(image, filters, filter_bias, padding=1))
    both("conv stride 2", lambda: F.conv2d(image, filters, filter_bias, stride=2, padding=1))
    both("conv depthwise", lambda: F.conv2d(image, deep, None, padding=1, groups=64))
    both("conv_transpose", lambda: F.conv_transpose2d(image, transposed, stride=2, padding=1))

    h, w, b = t(2048, 1024, grad=True), t(1024, grad=True), t(1024, grad=True)
    both("layer_norm", lambda: F.layer_norm(h, (1024,), w, b))
    both("rms_norm", lambda: F.rms_norm(h, (1024,), w))
    both("batch_norm", lambda: F.batch_norm(image, None, None, t(64, grad=True), t(64, grad=True), training=True))
    both("group_norm", lambda: F.group_norm(image, 8, t(64, grad=True), t(64, grad=True)))
    for function in (F.softmax, F.log_softmax):
        both(function.__name__, lambda function=function: function(h, -1))
    for function in (F.gelu, F.silu, F.relu):
        both(function.__name__, lambda function=function: function(h))
    both("add", lambda: h + h)
    both("add broadcast", lambda: h + b)
    both("mul scalar", lambda: h * 2.0)
    both("dropout", lambda: F.dropout(h, 0.5))
    both("max_pool", lambda: F.max_pool2d(image, 2))
    both("avg_pool", lambda: F.avg_pool2d(image, 2))
    both("interpolate", lambda: F.interpolate(image, scale_factor=2))
    words, numbers = t(32000, 512, grad=True), torch.randint(0, 32000, (4, 512), device="cuda")
    both("embedding", lambda: F.embedding(numbers, words))
    targets = torch.randint(0, 1024, (2048,), device="cuda")
    both("cross_entropy", lambda: F.cross_entropy(h.float(), targets))
    pinned = torch.empty(1024, 1024).pin_memory()
    cases.extend([
        ("sum", lambda: h.sum()), ("sum dim", lambda: h.sum(1)), ("mean dim keep", lambda: h.mean(-1, keepdim=True)),
        ("max dim", lambda: h.max(1)), ("cat", lambda: torch.cat([h, h], 0)), ("to fp32", lambda: h.to(FP32)),
        ("contiguous", lambda: h.t().contiguous()), ("copy", lambda: torch.empty_like(h).copy_(h)),
        ("fill", lambda: torch.empty_like(h).fill_(1)), ("zeros", lambda: torch.zeros(2048, 1024, device="cuda")),
        ("sort", lambda: h.sort(-1)), ("topk", lambda: h.topk(5)), ("cumsum", lambda: h.cumsum(-1)),
        ("where", lambda: torch.where(h > 0, h, h * 0)), ("index_select", lambda: words.index_select(0, numbers.view(-1))),
        ("gather", lambda: h.gather(1, torch.zeros(2048, 1, dtype=torch.long, device="cuda"))),
        ("einsum", lambda: torch.einsum("bhqd,bhkd->bhqk", q, k)),
        ("H2D", lambda: torch.empty(1024, 1024).to("cuda")), ("H2D pinned", lambda: pinned.to("cuda", non_blocking=True)),
        ("D2H", lambda: h.detach().cpu()),
    ])
    for _ in range(5):
        for _, run in cases:
            run()
    torch.cuda.synchronize()
    with profile(activities=ACTIVITIES, record_shapes=True) as prof:
        for name, run in cases:
            with record_function("CASE " + name):
                run()
        torch.cuda.synchronize()
    save(prof, "operators")


def sleeps():
    """A device that waits for a sleeping host, for .item(), for launches, or for nothing."""
    small, big = (torch.randn(n, n, device="cuda", dtype=BF16) for n in (4096, 8192))
    stream = torch.cuda.Stream()
    host = torch.empty(64 << 20, dtype=torch.uint8).pin_memory()
    device = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
    for _ in range(5):
        small @ small
        big @ big
    torch.cuda.synchronize()
    slept = []
    with profile(activities=ACTIVITIES, record_shapes=True) as prof:
        with record_function("HOST SLEEPS"):
            for _ in range(10):
                small @ small
                torch.cuda.synchronize()
                begin = time.perf_counter_ns()
                time.sleep(0.005)
                slept.append((time.perf_counter_ns() - begin) / 1000)
        with record_function("ITEM"):
            for _ in range(10):
                (small[0, 0] * 2).item()
        with record_function("QUEUE"):
            for _ in range(20):
                big @ big
            torch.cuda.synchronize()
        with record_function("SMALL"):
            x = torch.ones(16, device="cuda")
            for _ in range(200):
                x = x + 1
            torch.cuda.synchronize()
        with record_function("OVERLAP"):
            for _ in range(5):
                with torch.cuda.stream(stream):
                    device.copy_(host, non_blocking=True)
                big @ big
            torch.cuda.synchronize()
        with record_function("EXPOSED COPY"):
            for _ in range(5):
                device.copy_(host, non_blocking=True)
            torch.cuda.synchronize()
        with record_function("DEVICE SLEEP"):
            for _ in range(3):
                torch.cuda._sleep(2_000_000)
            torch.cuda.synchronize()
    save(prof, "sleeps")
    table("sleeps", ("#sleep_us",), *((round(us, 3),) for us in slept))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).chunk(3, -1))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def model(layers, width=256, words=1000):
    blocks = [Block(width, 4) for _ in range(layers)]
    return nn.Sequential(nn.Embedding(words, width), *blocks, nn.Linear(width, words)).to("cuda").to(BF16)


def steps(name, run, optimizer, batch, count):
    """Trains; the trace has count steps."""
    text = torch.randint(0, 1000, batch, device="cuda")

    def step():
        loss = F.cross_entropy(run(text).float().view(-1, 1000), text.view(-1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()

    for _ in range(3):
        step()
    with profile(activities=ACTIVITIES, record_shapes=True,
                 schedule=schedule(wait=0, warmup=1, active=count, repeat=1),
                 on_trace_ready=lambda prof: save(prof, name)) as prof:
        for _ in range(1 + count):
            step()
            prof.step()


def training():
    """Three steps of training of 4 layers, with AdamW."""
    trained = model(4)
    steps("training", trained, torch.optim.AdamW(trained.parameters()), (8, 256), 3)


def compiled():
    """Two steps of training of 2 layers by torch.compile, with SGD."""
    trained = model(2)
    steps("compiled", torch.compile(trained), torch.optim.SGD(trained.parameters(), 0.01), (4, 128), 2)


def ready_for_capture():
    """A model of 2 layers and its input, after three calls on another stream, as CUDA wants before a capture."""
    run, text = model(2).eval(), torch.randint(0, 1000, (1, 64), device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run(text)
    torch.cuda.current_stream().wait_stream(stream)
    return run, text


@torch.no_grad()
def graph():
    """A CUDA graph of 2 layers, launched five times, and the same once without it."""
    run, text = ready_for_capture()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        run(text)
    for _ in range(3):
        captured.replay()
    torch.cuda.synchronize()
    with profile(activities=ACTIVITIES, record_shapes=True) as prof:
        for _ in range(5):
            captured.replay()
        torch.cuda.synchronize()
        run(text)
        torch.cuda.synchronize()
    save(prof, "graph")


@torch.no_grad()
def capture():
    """The capture of a CUDA graph of 2 layers, and five launches of it, each in a trace of its own."""
    run, text = ready_for_capture()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with profile(activities=ACTIVITIES, record_shapes=True) as prof:
        with record_function("CAPTURE"), torch.cuda.graph(captured):
            run(text)
        torch.cuda.synchronize()
    save(prof, "capture")
    with profile(activities=ACTIVITIES, record_shapes=True) as prof:
        for number in range(5):
            with record_function(f"REPLAY {number}"):
                captured.replay()
                torch.cuda.synchronize()
    save(prof, "replay")


def memory():
    """Five tensors of 1 to 5 MiB of which two are freed, then one of 64 MiB."""
    torch.cuda.empty_cache()
    with profile(activities=ACTIVITIES, profile_memory=True) as prof:
        kept = [torch.empty(count << 20, dtype=torch.uint8, device="cuda") for count in range(1, 6)]
        torch.cuda.synchronize()
        del kept[1:3]
        torch.empty(64 << 20, dtype=torch.uint8, device="cuda").fill_(3)
        torch.cuda.synchronize()
    save(prof, "memory")


def streams():
    """A second stream that waits for a kernel of the first, which then waits for the second, three times."""
    first, second = torch.cuda.current_stream(), torch.cuda.Stream()
    there, back = torch.cuda.Event(), torch.cuda.Event()
    x = torch.ones(1 << 20, device="cuda")

    def run():
        for _ in range(3):
            torch.cuda._sleep(2_000_000)
            there.record(first)
            second.wait_event(there)
            with torch.cuda.stream(second):
                torch.cuda._sleep(1_000_000)
                x.add_(1)
                back.record(second)
            first.wait_event(back)
            x.mul_(2)
            torch.cuda.synchronize()

    run()
    with profile(activities=ACTIVITIES,
                 experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True)) as prof:
        run()
    save(prof, "streams")


@torch.no_grad()
def slow():
    """Six steps, of which the fourth, ProfilerStep#5, has a kernel that waits for 10 ms or so."""
    run, text = model(1).eval(), torch.randint(0, 1000, (1, 64), device="cuda")
    with profile(activities=ACTIVITIES, schedule=schedule(wait=1, warmup=1, active=6, repeat=1),
                 on_trace_ready=lambda prof: save(prof, "slow")) as prof:
        for number in range(8):
            with record_function("FORWARD"):
                run(text)
            if number == 5:
                torch.cuda._sleep(20_000_000)
            torch.cuda.synchronize()
            prof.step()


if __name__ == "__main__":
    torch.manual_seed(3)
    recorders = [products, operators, sleeps, training, compiled, graph, capture, memory, streams, slow]
    for recorder in recorders:
        if not sys.argv[2:] or recorder.__name__ in sys.argv[2:]:
            recorder()

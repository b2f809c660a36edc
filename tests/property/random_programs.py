"""Random valid programs for a captured graph: a random order, with random swaps and reruns in it."""

import random

_NEVER_IN_PROGRAMS = ("RECOMPUTE_EXTERNAL", "RECOMPUTE_CONTROL_FLOW")
_COPYABLE = ("float", "double", "half", "int32", "int64", "bool", "uint8")


def shape_text(output):
    if not output.known_rank:
        return f"{output.dtype}[*]"
    return f"{output.dtype}[{','.join('?' if d < 0 else str(d) for d in output.dim)}]"


class RandomProgram:
    """Builds one strategy. `recompute_name` turns the enum's number into its name; `tier_disk` is the disk's number."""

    # Of the swaps, to the disk.
    DISK_SHARE = 0.4

    def __init__(self, graph, strategy, rng, recompute_name, tier_disk):
        self._graph = graph
        self._strategy = strategy
        self._rng = rng
        # Of its own, so that the programs are the same but for where copies go.
        self._tier_rng = random.Random(graph.fingerprint)
        self._tier_disk = tier_disk
        self._nodes = {node.name: node for node in graph.node}
        self._in_program = {
            node.name for node in graph.node if recompute_name(node.recompute) not in _NEVER_IN_PROGRAMS
        }
        self._may_rerun = {
            node.name for node in graph.node if recompute_name(node.recompute) == "RECOMPUTE_ALLOWED"
        }
        self._ran = []
        # tensor name -> "open": copy under way; "host": only the host has it; "both"
        self._swapped = {}

    def build(self):
        """Fills the strategy; returns how many swaps and reruns are in it."""
        swaps = reruns = 0
        for name in self._random_order():
            if name not in self._in_program:
                continue
            node = self._nodes[name]
            self._bring_back(node)
            step = self._strategy.step.add()
            step.run = name
            step.output.extend(shape_text(output) for output in node.output)
            step.first_addend = node.first_addend
            self._ran.append(name)
            for _ in range(self._rng.choice((0, 0, 1, 2))):
                dice = self._rng.random()
                if dice < 0.35:
                    swaps += self._swap_out()
                elif dice < 0.6:
                    self._wait()
                elif dice < 0.75:
                    self._swap_in()
                else:
                    reruns += self._rerun()
        self._drop_unused_swap_ins()
        return swaps, reruns

    def _drop_unused_swap_ins(self):
        """No planner brings back what nobody takes: its buffer is held until a copy ends that nobody waits for, so that
        the peak would depend on the pace of the copies."""
        kept = []
        taken = set()
        for step in reversed(self._strategy.step):
            if step.HasField("swap_in"):
                if step.swap_in not in taken:
                    continue
                taken.discard(step.swap_in)
            elif step.HasField("run") or step.HasField("rerun"):
                node = self._nodes[step.run or step.rerun]
                taken.difference_update(f"{node.name}:{i}" for i in range(len(node.output)))
                taken.update(node.input)
            kept.append(type(step).FromString(step.SerializeToString()))
        del self._strategy.step[:]
        self._strategy.step.extend(reversed(kept))

    def _random_order(self):
        waiting = {
            node.name: {text.rsplit(":", 1)[0] for text in node.input} | set(node.control) for node in self._graph.node
        }
        ready = sorted(name for name, sources in waiting.items() if not sources)
        users = {}
        for name, sources in waiting.items():
            for source in sources:
                users.setdefault(source, []).append(name)
        order = []
        while ready:
            name = ready.pop(self._rng.randrange(len(ready)))
            order.append(name)
            for user in users.get(name, ()):
                waiting[user].discard(name)
                if not waiting[user]:
                    ready.append(user)
        assert len(order) == len(waiting)
        return order

    def _bring_back(self, node):
        """What a step takes must be on the device."""
        for tensor in node.input:
            if self._swapped.get(tensor) == "host":
                self._strategy.step.add().swap_in = tensor
                self._swapped[tensor] = "both"

    def _swap_out(self):
        name = self._rng.choice(self._ran)
        outputs = [
            i
            for i, output in enumerate(self._nodes[name].output)
            if output.dtype in _COPYABLE and f"{name}:{i}" not in self._swapped
        ]
        if not outputs:
            return 0
        tensor = f"{name}:{self._rng.choice(outputs)}"
        step = self._strategy.step.add()
        step.swap_out = tensor
        if self._tier_rng.random() < self.DISK_SHARE:
            step.tier = self._tier_disk
        self._swapped[tensor] = "open"
        return 1

    def _wait(self):
        open_swaps = sorted(t for t, state in self._swapped.items() if state == "open")
        if open_swaps:
            tensor = self._rng.choice(open_swaps)
            self._strategy.step.add().swap_out_wait = tensor
            self._swapped[tensor] = "host"

    def _swap_in(self):
        on_host = sorted(t for t, state in self._swapped.items() if state in ("host", "both"))
        if on_host:
            tensor = self._rng.choice(on_host)
            self._strategy.step.add().swap_in = tensor
            self._swapped[tensor] = "both"

    def _rerun(self):
        candidates = [name for name in self._ran if name in self._may_rerun]
        if not candidates:
            return 0
        name = self._rng.choice(candidates)
        # A copy under way would end up beside a newer instance; such programs are not made by planners.
        if any(self._swapped.get(f"{name}:{i}") == "open" for i in range(len(self._nodes[name].output))):
            return 0
        self._bring_back(self._nodes[name])
        self._strategy.step.add().rerun = name
        for i in range(len(self._nodes[name].output)):
            if f"{name}:{i}" in self._swapped:
                self._swapped[f"{name}:{i}"] = "both"
        return 1

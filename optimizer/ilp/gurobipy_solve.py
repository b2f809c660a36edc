"""Solves linear models with gurobipy for gurobipy_solver.cc, which starts this and speaks to it in lines.

In:   solve GAP SECONDS FILE      an MPS file; SECONDS may be "inf"
      stop                        end the solve that is under way; ignored if there is none
Out:  ready VERSION               once, or "error CODE TEXT" if there is no gurobipy or no licence
      progress OBJECTIVE BOUND    now and then
      result STATUS OBJECTIVE BOUND VALUE...    or "error CODE TEXT"
"""

import os
import select
import sys
import time

PROGRESS_SECONDS = 0.5
# Gurobi writes this for infinity.
INFINITE = 1e99


class Channel:
    """Lines on file descriptors 0 and 1, unbuffered, so that what is pending can be seen."""

    def __init__(self):
        self._out = os.dup(1)
        # Whatever a library prints must not end up between the lines.
        os.dup2(2, 1)
        self._pending = b""

    def say(self, *words):
        data = (" ".join(str(word) for word in words).replace("\n", " ") + "\n").encode()
        while data:
            data = data[os.write(self._out, data) :]

    def hear(self):
        """The next line, or None at the end of the input."""
        while b"\n" not in self._pending:
            data = os.read(0, 65536)
            if not data:
                return None
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        return line.decode()

    def stop_is_pending(self):
        """While a model is solved, the only thing to come is "stop" or the end of the input."""
        return bool(self._pending or select.select([0], [], [], 0)[0])


def solve(gurobipy, environment, channel, gap, seconds, path):
    codes = gurobipy.GRB
    model = gurobipy.read(path, environment)
    model.Params.MIPGap = gap
    model.Params.MIPGapAbs = 0
    if seconds < INFINITE:
        model.Params.TimeLimit = seconds
    last = time.monotonic()

    def watch(model, where):
        nonlocal last
        if channel.stop_is_pending():
            model.terminate()
        if where == codes.Callback.MIP and time.monotonic() - last > PROGRESS_SECONDS:
            last = time.monotonic()
            best, bound = model.cbGet(codes.Callback.MIP_OBJBST), model.cbGet(codes.Callback.MIP_OBJBND)
            channel.say("progress", finite(best), finite(bound))

    model.optimize(watch)
    # Every column is bounded, so nothing is unbounded.
    if model.Status in (codes.INFEASIBLE, codes.INF_OR_UNBD):
        return ["infeasible", "inf", "inf"]
    bound = finite(model.ObjBound) if model.IsMIP else "-inf"
    if model.SolCount == 0 or (not model.IsMIP and model.Status != codes.OPTIMAL):
        return ["none", "inf", bound]
    status = "optimal" if model.Status == codes.OPTIMAL else "feasible"
    if not model.IsMIP:
        bound = repr(model.ObjVal)
    # A reader may leave out or move columns; by name they are the caller's.
    values = {variable.VarName: variable.X for variable in model.getVars()}
    count = sum(name.startswith("C") for name in values)
    return [status, repr(model.ObjVal), bound, *(repr(values[f"C{i}"]) for i in range(count))]


def finite(value):
    return repr(value) if abs(value) < INFINITE else ("inf" if value > 0 else "-inf")


def main():
    channel = Channel()
    try:
        import gurobipy
    except ImportError as error:
        channel.say("error", 0, f"{sys.executable} cannot import gurobipy ({error})")
        return
    try:
        environment = gurobipy.Env(empty=True)
        environment.setParam("OutputFlag", 0)
        environment.setParam("Threads", 1)
        environment.start()
    except gurobipy.GurobiError as error:
        channel.say("error", error.errno, error)
        return
    channel.say("ready", ".".join(str(part) for part in gurobipy.gurobi.version()))
    while (line := channel.hear()) is not None:
        if line == "stop":
            continue
        _, gap, seconds, path = line.split(" ", 3)
        try:
            channel.say("result", *solve(gurobipy, environment, channel, float(gap), float(seconds), path))
        except gurobipy.GurobiError as error:
            channel.say("error", error.errno, error)


main()

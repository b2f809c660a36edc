"""Several ways to train, measured in turns: a shared machine is sometimes slow, and then it is slow for all of them."""

import concurrent.futures
import pathlib
import statistics
import tempfile

import stages


def run_interleaved(runs, rounds):
    """Calls each of `runs` (name -> function that trains) once a round; returns the results of each, by round.

    Every other round goes backwards, so that what comes first does not always come first.
    """
    results = {name: [] for name in runs}
    for i in range(rounds):
        names = list(runs) if i % 2 == 0 else list(reversed(runs))
        for name in names:
            stages.progress(f"round {i + 1} of {rounds}: {name}")
            results[name].append(runs[name]())
    return results


def run_in_turns(runs):
    """Calls all of `runs` (name -> function of more arguments for train.py, that trains) at once; returns the results.

    They take turns step by step, so that what is compared is seconds apart. All are in memory at once.
    """
    with tempfile.TemporaryDirectory() as directory:
        arguments = [f"--turns={pathlib.Path(directory) / 'turns'}"]
        with concurrent.futures.ThreadPoolExecutor(len(runs)) as pool:
            futures = {name: pool.submit(run, arguments) for name, run in runs.items()}
            return {name: future.result() for name, future in futures.items()}


def step_ratio(results, plain):
    """Median over the rounds of the step time against plain training's in the same round; None: too few steps."""
    ratios = [stages.step_ratio(one, other) for one, other in zip(results, plain, strict=True)]
    return None if None in ratios else statistics.median(ratios)


def turn_ratio(results, other):
    """Of two trainings in turns: median of the step times' ratios turn by turn, without the first; None: too few steps.

    A slow moment of the machine takes in both steps of a turn. It would weigh on a ratio of medians.
    """
    pairs = list(zip(results["step_seconds"], other["step_seconds"], strict=False))[1:]
    return statistics.median(one / two for one, two in pairs) if pairs else None


def peak_bytes(results):
    """The highest of the rounds, None where none was measured."""
    return max((one["peak_bytes"] for one in results if one["peak_bytes"] is not None), default=None)


def equal(results, plain):
    """Whether every round ended with the losses and variables of plain training, bit for bit."""
    first = plain[0]
    return all(one[field] == first[field] for one in results for field in ("losses", "variables_sha256"))

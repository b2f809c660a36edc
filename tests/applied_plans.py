"""What the plugin reports of the plans that it applied."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Applied:
    """One STR-3001 line. Bytes of the first step: its peak, and the most that the step's own nodes did not allocate."""

    fingerprint: str
    predicted_bytes: int
    peak_bytes: int
    outside_bytes: int

    @property
    def own_bytes(self):
        """At most what the step's own nodes held at the peak. What else lives in the process differs between runs."""
        return self.peak_bytes - self.outside_bytes


def applied_plans(errors):
    """Of a process's standard error, in order."""
    found = re.findall(
        r"STR-3001 applied: .* Predicted peak (.*), measured (.*), of which outside of the step (.*) \(planned .* Graph ([0-9a-f]{16})",
        errors,
    )
    return [Applied(fingerprint, *map(_in_bytes, sizes)) for *sizes, fingerprint in found]


def _in_bytes(text):
    """Of "5.91 GiB (6345678901 bytes)" or "512 bytes"."""
    return int(re.search(r"(\d+) bytes", text)[1])

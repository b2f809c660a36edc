"""Writes JSON files so that a reader never sees half of one."""

import json
import os


def write_json(path, value):
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
    os.replace(temporary, path)

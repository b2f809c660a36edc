"""The parser of what ./str starts: wrong usage is exit code 1, as for every command; 2 means that no plan fits."""

import argparse
import sys


class Parser(argparse.ArgumentParser):
    """`description` is shown as it is written."""

    def __init__(self, description, **options):
        formatter = argparse.RawDescriptionHelpFormatter
        super().__init__(description=description.strip(), formatter_class=formatter, **options)

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(1, f"str: {message}\n")

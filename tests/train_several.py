"""Trains several example models, one after the other in one process: TensorFlow takes longer to start than to train.

    python train_several.py "--model=unet --steps=2" "--model=gpt --steps=2" --json=FILE

FILE gets the list of their results, as train.py writes them.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "runtime_examples"))
import train


def main(trainings, json_option):
    results = [train.train(train.parse_options(training.split())) for training in trainings]
    pathlib.Path(json_option.removeprefix("--json=")).write_text(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1:-1], sys.argv[-1])

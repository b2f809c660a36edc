"""The options that name a model and its sizes, as all scripts that build models take them."""

from models import EXAMPLES


def image_shape(text):
    """"96" or "416x608" as (height, width)."""
    sides = tuple(int(side) for side in text.split("x"))
    if len(sides) > 2 or min(sides) < 1:
        raise ValueError(text)
    return sides * 2 if len(sides) == 1 else sides


def image_text(shape):
    """What --image takes for this shape: the side of a square, as a number."""
    return shape[0] if shape[0] == shape[1] else f"{shape[0]}x{shape[1]}"


def add_size_options(parser):
    parser.add_argument("--model", choices=sorted(EXAMPLES), metavar="NAME", required=True, help="train.py --list")
    parser.add_argument("--batch", type=int, help="default: the model's own")
    parser.add_argument("--image", type=image_shape, help="SIDE or HEIGHTxWIDTH in pixels; default: the model's own")
    parser.add_argument("--tokens", type=int, help="of a language model, instead of --image; default: the model's own")
    parser.add_argument(
        "--blocks", "--layers", type=int, help="of models of equal parts, how many; default: the model's own"
    )
    parser.add_argument("--classes", type=int, help="default: the model's own")


def settle_sizes(parser, options, full_size=False):
    """Sets options.shape, batch and classes; ends the program if the model does not take what was given.

    Sizes that were not given are the model's own for small machines, or those of the literature if `full_size`.
    """
    name, example = options.model, EXAMPLES[options.model]
    for option in ("batch", "tokens", "blocks", "classes"):
        if (value := getattr(options, option)) is not None and value < 1:
            parser.error(f"--{option} must be at least 1, not {value}")
    if example.vocabulary is None and options.tokens:
        parser.error(f"--tokens is for language models; {name} takes --image")
    if example.vocabulary is not None and (options.image or options.classes):
        parser.error(f"{name} takes --tokens; --image and --classes are for images")
    if example.blocks is None and options.blocks:
        parser.error(f"{name} is not made of equal parts: it takes no --blocks or --layers")
    own_shape = example.full_shape if full_size else example.shape
    options.shape = options.image or ((options.tokens,) if options.tokens else own_shape)
    if refusal := example.refusal(options.shape):
        parser.error(f"{name} {refusal}, not {'x'.join(map(str, options.shape))}")
    options.batch = options.batch or example.batch
    options.classes = options.classes or (example.full_classes if full_size else example.classes)

"""Numbers of a launch, as docs/json.md says."""


def value(number, sizes):
    """`sizes`: those that only the launch knows."""
    if not isinstance(number, dict):
        return number
    product = 1
    for part in number["sizes"]:
        size = part["size"]
        product *= -(-(sizes[size] if isinstance(size, str) else size) // part["over"])
    return number["times"] * min(product, number.get("at_most", product))

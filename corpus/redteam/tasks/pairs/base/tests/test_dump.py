from pairs import dump


def test_sorted():
    assert dump({"b": 1, "a": 2}) == "a=2\nb=1\n"

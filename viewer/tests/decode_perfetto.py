# SPDX-License-Identifier: MIT
"""Reads a Perfetto trace with nothing but the rules of protocol buffers, and checks it.

Usage: decode_perfetto.py FILE
Slices of a track must lie in each other, every flow must have two ends. Prints counts.
"""
import collections
import sys


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data: bytes):
    """Yields (number, value) of a message; texts and messages as bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("a message is cut off")
        else:
            raise ValueError(f"wire type {kind}")
        yield number, value


def check(data: bytes) -> dict[str, int]:
    counters, values = {}, collections.defaultdict(list)  # Tracks of values, and these by name.
    tracks, open_slices, counts = set(), collections.defaultdict(list), collections.Counter()
    last, starts, ends = collections.defaultdict(int), collections.Counter(), collections.Counter()
    for number, packet in fields(data):
        assert number == 1, "only packets"
        inside = dict(fields(packet))
        if 60 in inside:
            about = dict(fields(inside[60]))
            tracks.add(about[1])
            if 8 in about:
                counters[about[1]] = about[2].decode()
            continue
        event, time = list(fields(inside[11])), inside[8]
        only = dict(event)
        track, kind = only[11], only[9]
        assert track in tracks, "a track that nobody described"
        assert time >= last[track], "time goes back on a track"
        last[track] = time
        if kind == 1:
            name = only[23].decode()
            open_slices[track].append(name)
            counts["slices"] += 1
            counts[name.split()[0].split("#")[0]] += 1
        elif kind == 2:
            open_slices[track].pop()
        elif kind == 4:
            value = only[30]
            values[counters[track]].append(value - 2**64 if value >> 63 else value)
        starts.update(value for field, value in event if field == 47)
        ends.update(value for field, value in event if field == 48)
    assert not any(open_slices.values()), "a slice without an end"
    assert starts == ends, "a flow with one end"
    counts["flows"] = len(starts)
    counts.update({f"sum({name})": sum(all_of) for name, all_of in values.items()})
    return counts


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # Also where the terminal's is another one.
    with open(sys.argv[1], "rb") as file:
        for key, value in sorted(check(file.read()).items()):
            print(key, value)

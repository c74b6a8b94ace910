"""The numbers that numpy.random gives after numpy.random.seed(n), without numpy.

The generator is the Mersenne Twister that Python has, seeded the old way; uniform() takes 53 bits
for a number, randint() draws words until one fits below the bound.
"""
import random


class Legacy:
    def __init__(self, seed):
        words = [seed & 0xFFFFFFFF]
        for index in range(1, 624):
            low = words[-1] ^ words[-1] >> 30
            words.append((1812433253 * low + index) & 0xFFFFFFFF)
        self.twister = random.Random()
        self.twister.setstate((3, tuple(words) + (624,), None))

    def uniform(self, low, high, count):
        draw = self.twister.random
        return [low + (high - low) * draw() for _ in range(count)]

    def randint(self, low, high, count):
        """Of low..high - 1, 64-bit integers as by default."""
        most = high - low - 1
        mask = (1 << most.bit_length()) - 1
        draw, values = self.twister.getrandbits, []
        while len(values) < count:
            value = draw(32) & mask
            if value <= most:
                values.append(low + value)
        return values

    def bytes(self, count):
        """randint(-128, 128, dtype=int8): four of a word, the lowest byte first."""
        draw, values = self.twister.getrandbits, []
        while len(values) < count:
            word = draw(32)
            values += [(word >> shift & 0xFF) - 128 for shift in (0, 8, 16, 24)]
        return values[:count]

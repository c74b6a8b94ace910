/* Numbers with a fraction: equal within a distance. Include behind cmocka.h. */
#ifndef CUBESIM_TESTS_SUPPORT_NEAR_H
#define CUBESIM_TESTS_SUPPORT_NEAR_H

#define assert_near(value, expected, distance)                                                     \
    do {                                                                                           \
        double near_value = (value), near_expected = (expected);                                   \
        if (!(near_value - near_expected <= (distance) &&                                          \
              near_expected - near_value <= (distance)))                                           \
            fail_msg("%.12g is not %.12g", near_value, near_expected);                             \
    } while (0)

#endif

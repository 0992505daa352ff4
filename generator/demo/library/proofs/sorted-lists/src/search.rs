//! Looking for a number, in the two ways of `coq/Search.v`.

/// Looks at every element; the test below holds the faster search against it.
#[cfg_attr(not(test), allow(dead_code))]
pub fn member(x: u64, xs: &[u64]) -> bool {
    xs.iter().any(|y| x == *y)
}

/// The middle of a non-empty range; `lo + hi` is never formed, so nothing overflows.
pub fn midpoint(lo: usize, hi: usize) -> usize {
    lo + (hi - lo) / 2
}

/// Binary search: the first position whose element is not below `x`.
pub fn lower_bound(x: u64, sorted: &[u64]) -> usize {
    let (mut lo, mut hi) = (0, sorted.len());
    while lo < hi {
        let mid = midpoint(lo, hi);
        if sorted[mid] < x {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    lo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_agree_on_sorted_input() {
        let xs = [1, 3, 3, 7, 12];
        for x in 0..15 {
            let at = lower_bound(x, &xs);
            assert_eq!(member(x, &xs), at < xs.len() && xs[at] == x);
        }
    }

    #[test]
    fn the_midpoint_of_a_huge_range_does_not_overflow() {
        assert_eq!(midpoint(usize::MAX - 2, usize::MAX), usize::MAX - 1);
    }
}

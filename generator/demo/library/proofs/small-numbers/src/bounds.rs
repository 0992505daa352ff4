//! Arithmetic inside its bounds, in the shape of `coq/Bounds.v`.

/// The nearest number to `x` between `lo` and `hi`.
pub fn clamp(lo: u64, hi: u64, x: u64) -> u64 {
    lo.max(hi.min(x))
}

/// Addition that stops at `top`; the sum itself is never formed when it would not fit.
#[cfg_attr(not(test), allow(dead_code))]
pub fn saturating_add(top: u64, a: u64, b: u64) -> u64 {
    a.saturating_add(b).min(top)
}

/// How far apart two numbers are. Nothing calls this yet.
#[allow(dead_code)]
pub fn distance(a: u64, b: u64) -> u64 {
    a.abs_diff(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamping_again_changes_nothing() {
        for x in 0..20 {
            assert_eq!(clamp(5, 9, clamp(5, 9, x)), clamp(5, 9, x));
        }
    }

    #[test]
    fn addition_stops_at_the_top() {
        assert_eq!(saturating_add(100, 60, 60), 100);
        assert_eq!(saturating_add(u64::MAX, u64::MAX, 1), u64::MAX);
        assert_eq!(saturating_add(100, 20, 30), 50);
    }
}

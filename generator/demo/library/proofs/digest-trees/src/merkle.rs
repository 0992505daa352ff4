//! Climbing a Merkle proof, in the shape of `coq/Merkle.v`.

/// A sibling on the way up, and the side on which it stands.
pub enum Step {
    SiblingRight(u64),
    SiblingLeft(u64),
}

/// Mixes two digests. Good enough to print an example, far too small to trust:
/// with 64 bits, a collision is found by anyone with an afternoon.
pub fn node(left: u64, right: u64) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325_u64;
    for byte in left.to_be_bytes().into_iter().chain(right.to_be_bytes()) {
        h = (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    h
}

/// From a leaf to a root. `one_path_one_leaf` speaks about this function,
/// for a `node` without collisions.
pub fn climb(leaf: u64, path: &[Step]) -> u64 {
    path.iter().fold(leaf, |d, step| match step {
        Step::SiblingRight(s) => node(d, *s),
        Step::SiblingLeft(s) => node(*s, d),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_leaf_of_four_climbs_to_the_root() {
        let root = node(node(1, 2), node(3, 4));
        let path = [Step::SiblingLeft(1), Step::SiblingRight(node(3, 4))];
        assert_eq!(climb(2, &path), root);
        assert_ne!(climb(5, &path), root);
    }
}

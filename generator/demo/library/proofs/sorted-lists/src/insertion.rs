//! Insertion sort, written in the shape of `coq/Sorting.v`.

/// Puts `x` before the first element that is not smaller.
/// `insert_keeps_sorted` and `insert_counts` speak about this function.
pub fn insert_sorted(x: u64, sorted: &mut Vec<u64>) {
    let at = sorted.iter().position(|y| x <= *y).unwrap_or(sorted.len());
    sorted.insert(at, x);
}

/// Sorts by inserting from the last element to the first, as the proof does.
pub fn insertion_sort(xs: &[u64]) -> Vec<u64> {
    let mut out = Vec::with_capacity(xs.len());
    for x in xs.iter().rev() {
        insert_sorted(*x, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_what_is_unsorted_and_leaves_what_is_sorted() {
        assert_eq!(insertion_sort(&[3, 1, 2, 1]), [1, 1, 2, 3]);
        assert_eq!(insertion_sort(&[1, 2, 3]), [1, 2, 3]);
        assert_eq!(insertion_sort(&[]), []);
    }
}

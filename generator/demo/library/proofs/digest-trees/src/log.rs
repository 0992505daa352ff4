//! Append-only logs, in the shape of `coq/Log.v`. Nothing calls this yet.

/// Does `new` only add to `old`?
#[allow(dead_code)]
pub fn is_prefix(old: &[u64], new: &[u64]) -> bool {
    new.starts_with(old)
}

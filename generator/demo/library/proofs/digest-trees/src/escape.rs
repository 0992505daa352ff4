//! Names without a slash, in the shape of `coq/Escape.v`.

/// `%` becomes `%0`, `/` becomes `%1`; everything else stays.
pub fn escape(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for b in bytes {
        match b {
            b'%' => out.extend_from_slice(b"%0"),
            b'/' => out.extend_from_slice(b"%1"),
            _ => out.push(*b),
        }
    }
    out
}

/// The way back; `None` for what no `escape` ever wrote.
#[cfg_attr(not(test), allow(dead_code))]
pub fn unescape(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(b) = rest.next() {
        match b {
            b'%' => out.push(match rest.next()? {
                b'0' => b'%',
                b'1' => b'/',
                _ => return None,
            }),
            b'/' => return None,
            _ => out.push(*b),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_three_awkward_bytes_comes_back() {
        for a in [b'%', b'/', b'0', b'1', b'x'] {
            for b in [b'%', b'/', b'0', b'1', b'x'] {
                let name = [a, b, b'%'];
                let escaped = escape(&name);
                assert!(!escaped.contains(&b'/'));
                assert_eq!(unescape(&escaped), Some(name.to_vec()));
            }
        }
    }

    #[test]
    fn what_no_escape_wrote_is_refused() {
        assert_eq!(unescape(b"a/b"), None);
        assert_eq!(unescape(b"%"), None);
        assert_eq!(unescape(b"%2"), None);
    }
}

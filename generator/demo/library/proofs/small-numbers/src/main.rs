//! `small-numbers 17` prints the number clamped to 1..=12, as a month would be.
mod bounds;

fn main() {
    for x in std::env::args().skip(1).filter_map(|a| a.parse().ok()) {
        println!("{}", bounds::clamp(1, 12, x));
    }
}

//! `sorted-lists 3 1 2` prints the numbers in order and where 2 would go.
mod insertion;
mod search;

fn main() {
    let xs: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sorted = insertion::insertion_sort(&xs);
    println!("{sorted:?}");
    println!("2 goes to position {}", search::lower_bound(2, &sorted));
}

//! Prints the types that cross to the window. Used by `cargo xtask types`.

fn main() {
    print!("{}", plancard_lib::wire::typescript());
}

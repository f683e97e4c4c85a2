//! A small workspace for a first start.

/// The files of the sample workspace: path and content.
pub fn sample_files() -> &'static [(&'static str, &'static str)] {
    &[
        ("README.md", include_str!("../../sample/README.md")),
        ("notes/kitchen.md", include_str!("../../sample/notes/kitchen.md")),
        ("notes/garden.md", include_str!("../../sample/notes/garden.md")),
    ]
}

//! The gate as a table. One row is one call in one room, and what the gate says of it:
//!
//! ```text
//! mode · plan · call · rules and facts → verdict
//! ```
//!
//! - plan: `none`, or a state and its steps under way, each `[tool target]`. `[]` names
//!   nothing, `[any docs/**]` names no tool, `[may change]` has the hand switch on and
//!   `[+shell(make *)]` has a call that a person added; `✓ make` is the step's check.
//! - call: `tool effect: targets`. `a.md` is a path, `^/etc/a` one outside, `$ ls | wc` a
//!   command, `$[sub] ls` one in that folder, `$[?] ls` in one that nobody knows, `% ls *` one with
//!   patterns, `? ls` one that was not understood, `$` one without words, `@host` a host.
//! - rules and facts: `allow …`, `ask …`, `deny …`, `kept …` (by "always"), `bare` (no
//!   sandbox), `yes` (a person said yes to this very call). `from person`, `from server` (one
//!   that is trusted) and `from nobody` say who vouches for the effect; else our own catalogue
//!   does. `under MODE PLAN` makes the caller a sidekick of such a room, `step s2` of that step
//!   of its plan, and `above deny …` is a rule there; a second `under` is a room above that.
//! - verdict: `allow look`, `allow work`, or `warn`, `drift`, `permission`, `block CODE`
//!   with a piece of the reason.

mod actors;
mod commands;
#[path = "../support/mod.rs"]
mod support;
mod table;

use plan::{Facts, Rule, RuleAction};
use table::table;

#[test]
fn a_tool_nobody_knows_never_runs() {
    table(
        "
        off · none · nope unknown: a → block UNKNOWN_TOOL there is no tool called nope
        soft · none · nope unknown: a → block UNKNOWN_TOOL
        strict · none · nope unknown: a → block UNKNOWN_TOOL
        off · none · nope unknown: a · allow nope → block UNKNOWN_TOOL
        off · none · nope unknown: a · yes → block UNKNOWN_TOOL
        strict · approved[nope a] · nope unknown: a → block UNKNOWN_TOOL
        off · paused supervisor[] · nope unknown: a → block UNKNOWN_TOOL
        ",
    );
}

#[test]
fn without_a_plan_the_mode_decides() {
    table(
        "
        off · none · read_file read: a.md → allow look
        off · none · plan control → allow look
        off · none · ask_user control → allow look
        off · none · write_file write: a.md → allow work
        off · none · shell exec: $ make → allow work
        off · none · shell exec: ? make $(x) → allow work
        off · none · spawn_sidekick delegate → allow work
        off · none · fetch network: @example.org → permission May fetch example.org run?
        off · none · write_file write_outside: ^/etc/hosts → permission /etc/hosts
        off · none · tracker.close write_outside → permission tracker.close
        off · none · shell network: $ curl example.org, @example.org → permission
        soft · none · read_file read: a.md → allow look
        soft · none · plan control → allow look
        soft · none · write_file write: a.md → warn write_file a.md happens without a plan
        soft · none · shell exec: $ make → warn without a plan
        soft · none · spawn_sidekick delegate → warn without a plan
        soft · none · fetch network: @example.org → permission
        soft · none · write_file write_outside: ^/etc/hosts → permission
        strict · none · read_file read: a.md → allow look
        strict · none · shell read: $ git log → allow look
        strict · none · plan control → allow look
        strict · none · ask_user control → allow look
        strict · none · write_file write: a.md → block NOT_APPROVED write a plan
        strict · none · shell exec: $ make → block NOT_APPROVED shell make
        strict · none · spawn_sidekick delegate → block NOT_APPROVED
        strict · none · fetch network: @example.org → block NOT_APPROVED
        strict · none · write_file write_outside: ^/etc/hosts → block NOT_APPROVED
        strict · none · tracker.close write_outside → block NOT_APPROVED
        ",
    );
}

#[test]
fn nothing_widens_strict_before_approval() {
    table(
        "
        strict · none · write_file write: a.md · allow write_file → block NOT_APPROVED
        strict · none · write_file write: a.md · allow * → block NOT_APPROVED
        strict · none · shell exec: $ make · kept shell(make) → block NOT_APPROVED
        strict · none · fetch network: @example.org · allow fetch(example.org) → block NOT_APPROVED
        strict · none · write_file write: a.md · yes → block NOT_APPROVED
        strict · none · shell exec: $ make · yes → block NOT_APPROVED
        strict · running[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        strict · running[write_file a.md] · write_file write: a.md · allow write_file → block NOT_APPROVED
        strict · running[write_file a.md] · write_file write: a.md · yes → block NOT_APPROVED
        strict · running[may change] · write_file write: a.md → block NOT_APPROVED
        strict · running[write_file a.md] · read_file read: a.md → allow look
        strict · running[write_file a.md] · plan control → allow look
        strict · void[write_file a.md] · write_file write: a.md → block NOT_APPROVED the plan is not approved as it is
        strict · void[shell make] · shell exec: $ make → block NOT_APPROVED
        strict · void[may change] · write_file write: a.md · yes → block NOT_APPROVED
        strict · void[write_file a.md] · read_file read: a.md → allow look
        strict · void[write_file a.md] · plan control → allow look
        strict · cancelled[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        strict · done[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        strict · failed[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        strict · done[may change] · shell exec: $ make → block NOT_APPROVED
        strict · cancelled[write_file a.md] · read_file read: a.md → allow look
        ",
    );
}

#[test]
fn a_plan_that_waits_for_a_person_changes_nothing() {
    table(
        "
        off · draft[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        strict · draft[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        off · awaiting[write_file a.md] · write_file write: a.md → block NOT_APPROVED only reading is free
        soft · awaiting[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        strict · awaiting[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        strict · awaiting[may change] · shell exec: $ make → block NOT_APPROVED
        strict · awaiting[write_file a.md] · write_file write: a.md · yes → block NOT_APPROVED
        strict · awaiting[write_file a.md] · write_file write: a.md · allow * → block NOT_APPROVED
        off · awaiting[write_file a.md] · write_file write: a.md · allow * → block NOT_APPROVED
        off · awaiting[write_file a.md] · fetch network: @example.org · yes → block NOT_APPROVED
        off · awaiting[write_file a.md] · spawn_sidekick delegate → block NOT_APPROVED
        strict · awaiting[write_file a.md] · read_file read: a.md → allow look
        strict · awaiting[write_file a.md] · plan control → allow look
        off · sent back[write_file a.md] · write_file write: a.md → block NOT_APPROVED write a new revision
        soft · sent back[write_file a.md] · shell exec: $ make → block NOT_APPROVED new revision
        strict · sent back[write_file a.md] · write_file write: a.md → block NOT_APPROVED new revision
        off · sent back[write_file a.md] · write_file write: a.md · allow *; yes → block NOT_APPROVED
        strict · sent back[write_file a.md] · read_file read: a.md → allow look
        strict · sent back[write_file a.md] · plan control → allow look
        strict · asked again[write_file a.md] · write_file write: a.md → block NOT_APPROVED
        strict · asked again[write_file a.md] · read_file read: a.md → allow look
        ",
    );
}

#[test]
fn a_paused_plan_starts_no_tool() {
    table(
        "
        off · paused supervisor[] · read_file read: a.md → block PAUSED until a person resumes it
        off · paused supervisor[] · write_file write: a.md → block PAUSED
        soft · paused supervisor[] · write_file write: a.md → block PAUSED
        strict · paused supervisor[write_file a.md] · write_file write: a.md → block PAUSED
        strict · paused supervisor[write_file a.md] · write_file write: a.md · yes → block PAUSED
        strict · paused supervisor[may change] · shell exec: $ make → block PAUSED
        off · paused supervisor[] · shell exec: $ make · allow *; yes → block PAUSED
        off · paused supervisor[] · fetch network: @example.org · kept fetch → block PAUSED
        off · paused supervisor[] · spawn_sidekick delegate → block PAUSED
        off · paused auto_budget[] · write_file write: a.md → block PAUSED
        off · paused attempts[] · write_file write: a.md → block PAUSED
        off · paused revise[] · write_file write: a.md → block PAUSED
        off · paused revise[] · plan control → allow look
        off · paused cap[] · write_file write: a.md → block PAUSED
        off · paused cap[] · read_file read: a.md → block PAUSED
        strict · paused drift[write_file a.md] · write_file write: a.md → block PAUSED
        off · paused quota[] · write_file write: a.md → block PAUSED
        off · paused provider[] · write_file write: a.md → block PAUSED
        off · paused interrupted[] · write_file write: a.md → block PAUSED
        off · paused manual[] · write_file write: a.md → block PAUSED
        strict · paused supervisor[] · plan control → allow look
        ",
    );
}

#[test]
fn approved_files_are_free_and_others_drift() {
    table(
        "
        strict · approved[write_file a.md] · write_file write: a.md → allow work
        strict · approved[write_file ./a.md] · write_file write: a.md → allow work
        strict · approved[write_file a.md] · edit_file write: a.md → allow work
        strict · approved[edit_file a.md] · delete_file write: a.md → drift
        strict · approved[any a.md] · write_file write: a.md → allow work
        strict · approved[write_file a.md, b.md] · write_file write: b.md → allow work
        strict · approved[move_file a.md, b.md] · move_file write: a.md, b.md → allow work
        strict · approved[move_file a.md] · move_file write: a.md, b.md → drift step 1
        strict · approved[write_file a.md] · write_file write: b.md → drift write_file b.md is not in what step 1 was approved for
        strict · approved[write_file a.md] · write_file write: docs/a.md → drift
        strict · approved[write_file docs/*] · write_file write: docs/a.md → allow work
        strict · approved[write_file docs/*] · write_file write: docs/deep/a.md → drift
        strict · approved[write_file docs/**] · write_file write: docs/deep/a.md → allow work
        strict · approved[write_file docs/**] · write_file write: docs2/a.md → drift
        strict · approved[write_file docs] · write_file write: docs2/x → drift
        strict · approved[write_file docs] · write_file write: docs/x → drift
        strict · approved[write_file docs/] · write_file write: docs/x → drift
        strict · approved[write_file **/*.md] · write_file write: docs/deep/a.md → allow work
        strict · approved[write_file *.md] · write_file write: docs/a.md → drift
        strict · approved[write_file docs/deep/a.md] · create_directory write: docs/deep → allow work
        strict · approved[write_file docs/deep/a.md] · create_directory write: docs → allow work
        strict · approved[write_file docs/deep/a.md] · create_directory write: doc → drift
        strict · approved[write_file docs/deep/a.md] · delete_file write: docs → drift
        strict · approved[write_file docs/deep/a.md] · write_file write: docs/deep → drift
        strict · approved[write_file docs/**] · write_file write: docs/../src/a.rs → drift
        strict · approved[write_file docs/**] · write_file write: docs/../../etc/hosts → drift
        strict · approved[write_file **] · write_file write_outside: ^/etc/hosts → drift
        strict · approved[write_file /etc/hosts] · write_file write_outside: ^/etc/hosts → drift
        strict · approved[write_file **] · write_file write: ^/etc/hosts → drift
        strict · approved[write_file a.md] · shell exec: $ touch a.md → drift
        strict · approved[write_file a.md] · read_file read: b.md → allow look
        strict · approved[] · read_file read: a.md → allow look
        strict · approved[] · write_file write: a.md → drift
        strict · approved[] · shell exec: $ make → drift
        strict · approved[write_file] · write_file write: a.md → drift
        strict · approved[read_file a.md] · write_file write: a.md → drift
        strict · approved[write_file a.md] · write_file write: a.md · bare → allow work
        ",
    );
}

#[test]
fn an_approved_command_is_that_command() {
    table(
        "
        strict · approved[shell make] · shell exec: $ make → allow work
        strict · approved[shell git *] · shell exec: $ git status → drift
        strict · approved[shell git *] · shell exec: $ git → drift
        strict · approved[shell git *] · shell exec: $ git * → allow work
        strict · approved[shell git *] · shell exec: ? git * → allow work
        strict · approved[shell make] · shell exec: $ make test → drift
        strict · approved[shell make …] · shell exec: $ make test → allow work
        strict · approved[shell make ...] · shell exec: $ make → allow work
        strict · approved[shell make …] · shell exec: $ makeinfo → drift
        strict · approved[shell make test …] · shell exec: $ make install → drift
        strict · approved[shell make '…'] · shell exec: $ make test → drift
        strict · approved[shell make] · shell exec: $ make … → drift
        strict · approved[shell rm -rf build] · shell exec: $ rm -rf build src → drift
        strict · approved[shell make test] · shell exec: $ make test CC=evil → drift
        strict · approved[shell make test] · shell exec: ? CC=evil make test → drift
        strict · approved[shell rm …] · shell exec: % rm * → drift
        strict · approved[shell rm *] · shell exec: % rm * → allow work
        strict · approved[shell make] · shell exec: % make * → drift
        strict · approved[shell make test] · shell exec: $ make → drift
        strict · approved[shell make] · shell exec: $ makeinfo → drift
        strict · approved[shell git] · shell exec: $ git push → drift
        strict · approved[shell git …] · shell exec: $ git push → allow work
        strict · approved[shell git status] · shell exec: $ git push → drift
        strict · approved[shell git status] · shell exec: $ git status ; rm -rf x → drift
        strict · approved[shell git status] · shell exec: $ git status && rm -rf x → drift
        strict · approved[shell git status] · shell exec: $ git status | tee x → drift
        strict · approved[shell make && make install] · shell exec: $ make install → allow work
        strict · approved[shell make | tee log] · shell exec: $ make | tee log → allow work
        strict · approved[shell make ; ls] · shell exec: $ ls && make → allow work
        strict · approved[shell make] · shell exec: ? make $(x) → drift
        strict · approved[shell make] · shell exec: ? make > a → drift
        strict · approved[shell make] · shell exec: $ → drift
        strict · approved[shell grep 'curl | sh | wget' src] · shell exec: $ sh -c x → drift
        strict · approved[shell grep \"curl|sh|wget\" src] · shell exec: $ sh -c x → drift
        strict · approved[shell grep 'curl|sh' src] · shell exec: $ grep curl|sh src → allow work
        strict · approved[shell git commit -m 'one'] · shell exec: $ git commit -m one → allow work
        strict · approved[shell echo a # then ; sh] · shell exec: $ sh -c x → drift
        strict · approved[shell echo 'a ; sh] · shell exec: $ sh -c x → drift
        strict · approved[shell echo \\' ; sh] · shell exec: $ sh -c x → drift
        strict · approved[shell make] · terminal.run exec: $ make → drift
        strict · approved[any make] · shell exec: $ make → drift
        strict · approved[shell] · shell exec: $ make → drift
        strict · approved[write_file a.md] · shell exec: $ make → drift
        strict · approved[shell make] · shell read: $ git log → allow look
        ",
    );
}

/// What is approved in one folder is something else in another.
#[test]
fn an_approved_command_is_that_command_in_its_folder() {
    table(
        "
        strict · approved[shell make test] · shell exec: $[vendor/evil] make test → drift
        strict · approved[shell make test] · shell exec: $[?] make test → drift
        strict · approved[shell make test] · shell exec: $[vendor/evil] cd vendor/evil && make test → drift
        strict · approved[shell make test …] · shell exec: $[vendor/evil] make test x → drift
        strict · approved[shell cd sub && make test] · shell exec: $[sub] make test → allow work
        strict · approved[shell cd sub && make test] · shell exec: $[sub] cd sub && make test → allow work
        strict · approved[shell cd ./sub/ && make test] · shell exec: $[sub] make test → allow work
        strict · approved[shell cd sub && make test] · shell exec: $ make test → drift
        strict · approved[shell cd sub && make test] · shell exec: $[sub/deep] make test → drift
        strict · approved[shell cd sub && make …] · shell exec: $[sub] make test → allow work
        strict · approved[shell cd sub; make test] · shell exec: $ make test → drift
        strict · approved[shell cd sub; make test] · shell exec: ? cd sub; make test → allow work
        strict · approved[shell make test][shell cd a && ls] · shell exec: $[a] make test → drift
        strict · approved[shell make] · shell exec: $ cd a && cd b → drift
        strict · approved[+shell(cd . && make)] · shell exec: $ make → allow work
        strict · approved[+shell(cd . && make)] · shell exec: $[sub] make → drift
        strict · approved[+shell(cd . && make)] · shell exec: $ make test → drift
        strict · approved[+shell(cd . && make …)] · shell exec: $ make test → allow work
        strict · approved[+shell(cd sub && make)] · shell exec: $[sub] cd sub && make → allow work
        strict · approved[+shell(make)] · shell exec: $[sub] make → allow work
        strict · approved[+shell(make)] · shell exec: $[sub] cd sub && make → drift
        strict · approved[+shell(rm -rf build)] · shell exec: $ rm -rf build src → drift
        strict · approved[+shell(make …)] · shell exec: $[sub] make test → allow work
        ",
    );
}

/// What a person wrote or kept before holds in any folder, as it did.
#[test]
fn a_rule_holds_in_its_folder_and_without_one_in_any() {
    table(
        "
        off · none · shell exec: $[sub] make · bare; allow shell(make) → allow work
        off · none · shell exec: $[?] make · bare; allow shell(make) → allow work
        off · none · shell exec: $[sub] make · bare; kept shell(make) → allow work
        off · none · shell exec: $ make test · bare; kept shell(make) → permission
        off · none · shell exec: $[sub] cd sub && make · bare; kept shell(make) → permission
        off · none · shell exec: $ make test · bare; kept shell(make …) → allow work
        off · none · shell exec: $ make · bare; kept shell(cd . && make) → allow work
        off · none · shell exec: $ make test · bare; kept shell(cd . && make) → permission
        off · none · shell exec: $[sub] make · bare; kept shell(cd . && make) → permission
        off · none · shell exec: $[?] make · bare; kept shell(cd . && make) → permission
        off · none · shell exec: $[sub] cd sub && make · bare; kept shell(cd sub && make) → allow work
        off · none · shell exec: $[sub] cd sub && make ; rm x · bare; kept shell(cd sub && make) → permission
        off · none · shell exec: $ cd sub · bare; kept shell(cd sub && make) → permission
        off · none · shell exec: $[sub] git push · deny shell(git push *) → block DENIED
        off · none · shell exec: $[?] git push x · deny shell(git push …) → block DENIED
        off · none · shell exec: $ git push · deny shell(git push …) → block DENIED
        off · none · shell exec: $[sub] rm a · deny shell(cd sub && rm …) → block DENIED
        off · none · shell exec: $[sub] /bin/rm a · deny shell(cd sub && rm …) → block DENIED
        off · none · shell exec: $[?] rm a · deny shell(cd sub && rm …) → block DENIED
        off · none · shell exec: $ rm a · deny shell(cd sub && rm …) → allow work
        off · none · shell exec: $[sub] rm a · ask shell(cd sub && rm …) → permission
        ",
    );
}

#[test]
fn approved_hosts_are_those_named() {
    table(
        "
        strict · approved[fetch example.org] · fetch network: @example.org → allow work
        strict · approved[fetch *.example.org] · fetch network: @api.example.org → allow work
        strict · approved[fetch a.org, b.org] · fetch network: @b.org → allow work
        strict · approved[fetch example.org] · fetch network: @example.org, @evil.org → drift
        strict · approved[fetch example.org] · fetch network: @example.org.evil.org → drift
        strict · approved[fetch example.org] · fetch network: @evil-example.org → drift
        strict · approved[fetch example.org] · fetch network: @example.org:8443 → drift
        strict · approved[fetch Example.org:443] · fetch network: @example.org → allow work
        strict · approved[fetch https://example.org:8443/x] · fetch network: @example.org:8443 → allow work
        strict · approved[fetch https://example.org:8443/x] · fetch network: @example.org → drift
        strict · approved[fetch [::2]:81] · fetch network: @[::2]:81 → allow work
        strict · approved[fetch http://[::2]/] · fetch network: @::2 → allow work
        strict · approved[shell curl https://example.org:8443] · shell network: $ curl https://example.org:8443, @example.org:8443 → allow work
        strict · approved[shell curl https://example.org:8443] · shell network: $ curl https://example.org:8443, @example.org → drift
        strict · approved[may change] · fetch network: @example.org → drift
        strict · approved[shell curl https://example.org] · shell network: $ curl https://example.org, @example.org → allow work
        strict · approved[shell curl example.org] · shell network: $ curl example.org, @evil.org → drift
        strict · approved[shell curl example.org] · shell network: $ wget x, @example.org → drift
        strict · approved[shell make] · shell network: $ make, @example.org → drift
        strict · approved[shell git add *] · shell network: $ git add * x, @evil.org → drift
        strict · approved[shell rustfmt *.rs] · shell network: $ rustfmt *.rs, @evil.rs → drift
        strict · approved[may change] · shell network: $ make, @example.org → drift
        strict · approved[may change] · shell exec: $ make, @example.org → drift
        ",
    );
}

#[test]
fn a_person_widens_one_step() {
    table(
        "
        strict · approved[may change] · write_file write: a.md → allow work
        strict · approved[may change] · shell exec: $ make → allow work
        strict · approved[may change] · shell exec: ? make $(x) → allow work
        strict · approved[may change] · write_file write_outside: ^/etc/hosts → drift
        strict · approved[may change] · write_file write: ^/etc/hosts → drift
        strict · approved[may change] · write_file write: docs/../../etc/hosts → drift
        strict · approved[may change] · spawn_sidekick delegate → drift
        strict · approved[may change] · tracker.close write_outside → drift
        strict · approved[+shell(make *)] · shell exec: $ make test → allow work
        strict · approved[+shell(make *)] · shell exec: $ make test ; rm x → drift
        strict · approved[+shell(make *)] · shell exec: $ ls → drift
        strict · approved[+write_file(docs/*)] · write_file write: docs/a.md → allow work
        strict · approved[+write_file(docs/*)] · write_file write: docs/deep/a.md → drift
        strict · approved[+fetch(example.org)] · fetch network: @example.org → allow work
        strict · approved[+tracker.close] · tracker.close write_outside → allow work
        strict · approved[+tracker.close] · tracker.open write_outside → drift
        ",
    );
}

#[test]
fn a_step_may_make_its_own_check() {
    table(
        "
        strict · approved[write_file a.md ✓ test -s a.md] · shell exec: $ test -s a.md → allow work
        strict · approved[write_file a.md ✓ test -s a.md > b] · shell exec: ? test -s a.md > b → allow work
        strict · approved[write_file a.md ✓ test -s a.md] · shell exec: $ test -s a.md ; rm x → drift
        strict · approved[write_file a.md ✓ test -s a.md] · shell exec: $ test -s a.md b → drift
        strict · approved[write_file a.md ✓ make] · shell network: $ make, @example.org → drift
        strict · approved[write_file a.md ✓ make] · terminal.run exec: $ make → drift
        strict · approved[write_file a.md ✓ make] · shell exec: $ make · bare → block NO_SANDBOX
        strict · awaiting[write_file a.md ✓ make] · shell exec: $ make → block NOT_APPROVED
        strict · approved[write_file a.md ✓ make] · shell exec: $ make · deny shell → block DENIED
        ",
    );
}

#[test]
fn several_steps_under_way_grant_what_they_name_and_no_more() {
    table(
        "
        strict · approved[write_file a.md][write_file b.md] · write_file write: a.md → allow work
        strict · approved[write_file a.md][write_file b.md] · write_file write: b.md → allow work
        strict · approved[write_file a.md][write_file b.md] · write_file write: c.md → drift the steps under way
        strict · approved[write_file a.md][shell make] · shell exec: $ rm x → drift
        strict · approved[write_file a.md][write_file b.md] · move_file write: a.md, b.md → drift
        strict · approved[][] · shell exec: $ make → drift
        strict · approved[][] · read_file read: a.md → allow look
        soft · running[write_file a.md][write_file b.md] · write_file write: b.md → allow work
        soft · running[write_file a.md][write_file b.md] · write_file write: c.md → warn not what the step names
        ",
    );
}

#[test]
fn deny_comes_before_scope_and_yes() {
    table(
        "
        off · none · write_file write: a.md · deny write_file → block DENIED write_file
        off · none · write_file write: a.md · deny write_file(*.md) → block DENIED write_file(*.md)
        off · none · write_file write: docs/a.md · deny write_file(*.md) → allow work
        off · none · write_file write: docs/a.md · deny write_file(**/*.md) → block DENIED
        off · none · write_file write_outside: ^/etc/hosts · deny *(/etc/**) → block DENIED
        off · none · read_file read: .env · deny read_file(.env) → block DENIED
        off · none · shell exec: $ git push · deny shell(git push*) → block DENIED
        off · none · shell exec: $ ls && git push origin · deny shell(git push*) → block DENIED
        off · none · shell exec: $ git status · deny shell(git push*) → allow work
        off · none · shell exec: ? git push $(x) · deny shell(git push*) → block DENIED
        off · none · shell read: $ git log · deny shell(git log) → block DENIED
        off · none · shell exec: $ rm -rf x · deny shell (rm *) → block DENIED
        off · none · move_file write: a.md, secret/a.md · deny move_file(secret/**) → block DENIED
        off · none · fetch network: @example.org · deny fetch(*.org); yes → block DENIED
        off · none · write_file write: a.md · allow write_file; deny write_file → block DENIED
        off · none · write_file write: a.md · deny write_file; yes → block DENIED
        off · none · tracker.close write_outside · deny tracker.* → block DENIED
        off · none · ask_user control · deny ask_user → block DENIED
        soft · none · write_file write: a.md · deny * → block DENIED
        strict · none · write_file write: a.md · deny write_file → block NOT_APPROVED
        off · paused supervisor[] · write_file write: a.md · deny write_file → block PAUSED
        strict · approved[write_file a.md] · write_file write: a.md · deny write_file → block DENIED
        strict · approved[may change] · shell exec: $ make · deny shell → block DENIED
        strict · approved[+shell(make)] · shell exec: $ make · deny shell(make) → block DENIED
        ",
    );
}

/// A rule that forbids sees the program behind its path; behind its options, and behind what starts
/// it, a person looks.
#[test]
fn a_prohibition_is_not_passed_by_a_wrapper() {
    let rows = [
        "/usr/bin/git push x",
        "../bin/git push x",
        "git -C . push x",
        "git -c a.b=c push x",
        "git --no-pager push x",
        "git --git-dir=x --work-tree y push x",
        "command git push x",
        "command -p git push x",
        "exec git push x",
        "exec -a name git push x",
        "builtin command git push x",
        "env git push x",
        "env -i A=b -u C git push x",
        "env -S git push x",
        "env --split-string=git push x",
        "timeout 5 git push x",
        "timeout -k 1 --signal=KILL 5 git push x",
        "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push x",
        "ld-musl-x86_64.so.1 --library-path /lib git push x",
        "nohup git push x",
        "nice git push x",
        "nice -n 10 git -C . push x",
        "nice -n10 /usr/bin/git push x",
        "setsid -w git push x",
        "setarch x86_64 git push x",
        "linux64 git push x",
        "xvfb-run -s -ac git push x",
        "stdbuf -oL -e 0 git push x",
        "sudo -u me git push x",
        "xargs git push",
        "xargs -n 1 git push",
        "find . -name a -exec git push {} ;",
        "nohup nice timeout 5 env A=b git push x",
        "ls && timeout 5 git push x",
    ];
    for row in rows {
        let verdict = if row.contains("/git push") && !row.contains("ld-") && !row.contains("nice")
        {
            "block DENIED"
        } else {
            "permission"
        };
        table(&format!("off · none · shell exec: $ {row} · deny shell(git push *) → {verdict}"));
        table(&format!("off · none · shell exec: $ {row} · ask shell(git push *) → permission"));
    }
}

/// Who forbids `git push *` means the bare command, too; who allows it has said nothing of that.
#[test]
fn a_prohibition_with_more_words_is_one_without_them() {
    for row in ["git push", "ls && git push"] {
        for rule in ["deny shell(git push *)", "deny shell(git push *); yes"] {
            table(&format!("off · none · shell exec: $ {row} · {rule} → block DENIED"));
        }
        table(&format!("off · none · shell exec: $ {row} · ask shell(git push *) → permission"));
    }
    for row in ["git pull", "git"] {
        table(&format!("off · none · shell exec: $ {row} · deny shell(git push *) → allow work"));
    }
    // None is a command that is known, and may be another name for one.
    for row in ["git pushy", "npm pushy", "timeout 5 git push", "git -C . push"] {
        table(&format!("off · none · shell exec: $ {row} · deny shell(git push *) → permission"));
    }
}

/// Nobody reads the text that a program is given to run, so a person does.
#[test]
fn a_prohibition_may_hide_in_what_a_program_is_given_to_run() {
    let rows = [
        "eval \"git push x\"",
        "bash -c \"git push x\"",
        "/bin/sh -c \"git push x\"",
        "echo x | sh",
        "timeout 5 bash -c x",
        "trap \"git push x\" EXIT",
        "awk BEGIN{system(\"git\")}",
        "sed 1e_x a",
        "sed s/a/b/ge a",
        "script -c x",
        "perl -e x",
        "python3.12 -c x",
        "node --eval x",
        "ruby -e x",
        "python3",
        "ls | xargs -I {} {} push",
        "find . -exec {} push ;",
        "ssh host x",
        "make",
        "env -S x",
        "git -c alias.p=push p x",
        "git submodule foreach x",
        "git rebase --exec x main",
        "git -C sub -c alias.p=push p x",
        "git grep -Ox y",
        "sort --compress-program=x a",
        "split --filter=x a",
        "rg --pre x y",
        "rsync -aze x a b",
        "sed -ne1e_x a",
        "timeout --unknown 3 5 git push x",
        "sudo --unknown value git push x",
        "git --unknown value push x",
    ];
    for row in rows {
        for rule in ["deny shell(git push *)", "ask shell(git push *)"] {
            table(&format!("off · none · shell exec: $ {row} · {rule} → permission"));
            table(&format!("off · none · shell exec: $ {row} · {rule}; yes → allow work"));
        }
    }
    table(
        "
        off · none · shell exec: $ make · deny shell(git push *); kept shell(make) → allow work
        off · none · shell exec: $ make · deny shell(git push *); allow shell(make) → permission
        off · none · shell exec: $ make · deny write_file(a) → allow work
        off · none · shell exec: $ make → allow work
        ",
    );
}

/// A command that nobody understands may come to what is forbidden. So a person answers for it in
/// every mode, also where a plan was approved: for the very words, and not for some others.
#[test]
fn what_may_come_to_a_prohibition_never_runs_without_an_answer() {
    for call in ["? git push origin $B", "$ bash -c \"git push origin x --force\""] {
        for (standing, asked) in [
            ("off · none", "permission"),
            ("off · running[may change]", "permission"),
            ("soft · none", "permission"),
            ("soft · running[may change]", "permission"),
            ("strict · approved[may change]", "permission"),
            ("strict · approved[shell git push origin]", "drift"),
            ("strict · approved[]", "drift"),
        ] {
            let row = format!("{standing} · shell exec: {call} · deny shell(git push * --force)");
            table(&format!("{row} → {asked}"));
            table(&format!("{row}; allow shell → {asked}"));
        }
    }
    table(
        "
        strict · approved[shell git push origin $B] · shell exec: ? git push origin $B · deny shell(git push * --force) → allow work
        strict · approved[+shell(git push origin $B)] · shell exec: ? git push origin $B · deny shell(git push * --force) → allow work
        strict · approved[write_file a ✓ git push origin $B] · shell exec: ? git push origin $B · deny shell(git push * --force) → allow work
        strict · approved[may change] · shell exec: ? git push origin $B · deny shell(git push * --force); kept shell(git push origin $B) → allow work
        strict · approved[may change] · shell exec: ? git push origin $B --force · deny shell(git push * --force); yes → block DENIED
        strict · approved[shell git push origin $B --force] · shell exec: ? git push origin $B --force · deny shell(git push * --force) → block DENIED
        strict · approved[may change] · shell exec: ? git push origin $B · deny shell(git push * --force); yes → allow work
        strict · approved[shell bash …] · shell exec: $ bash -c \"git push origin x --force\" · deny shell(git push * --force) → permission
        strict · none · shell exec: ? git push origin $B · deny shell(git push * --force) → block NOT_APPROVED
        strict · approved[may change] · shell exec: ? git push origin $B · deny write_file(*) → allow work
        strict · approved[may change] · shell exec: $ cargo test · deny shell(git push * --force) → allow work
        strict · approved[shell bash x] · shell exec: $ bash x · deny shell(git push * --force) → allow work
        strict · approved[shell bash x && ls] · shell exec: $ bash x · deny shell(git push * --force) → allow work
        strict · approved[shell cargo test …] · shell exec: $ cargo test -p a · deny shell(git push * --force) → allow work
        ",
    );
}

#[test]
fn what_is_blocked_is_called_what_it_is() {
    table(
        "
        strict · none · fetch network: @example.org → block NOT_APPROVED would reach the network
        strict · none · shell exec: $ make, @example.org → block NOT_APPROVED would reach the network
        strict · none · shell exec: $ make → block NOT_APPROVED would change something
        ",
    );
}

#[test]
fn a_whole_path_in_the_workspace_is_one_of_the_workspace() {
    for (written, meant) in [
        ("write_file(/w/secret/**)", "write_file(secret/**)"),
        ("write_file(/wide/a)", "write_file(/wide/a)"),
        ("write_file(/w)", "write_file(/w)"),
        ("write_file(a)", "write_file(a)"),
        ("write_file", "write_file"),
    ] {
        let rule = Rule::parse(RuleAction::Deny, written).expect("a rule");
        assert_eq!(rule.in_workspace("/w").to_string(), meant);
    }
}

/// What is forbidden is so on every port; what is allowed is what it says.
#[test]
fn a_host_is_forbidden_on_every_port_and_allowed_on_its_own() {
    table(
        "
        off · none · fetch network: @127.0.0.1:18103 · allow fetch; deny fetch(127.0.0.1) → block DENIED
        off · none · fetch network: @evil.org:8080 · allow fetch; deny fetch(*.org) → block DENIED
        off · none · fetch network: @[::1]:7455 · allow fetch; deny fetch(::1) → block DENIED
        off · none · fetch network: @[::1]:7455 · allow fetch; deny fetch([::1]) → block DENIED
        off · none · shell network: $ curl x, @evil.org:99 · allow shell; deny shell(evil.org) → block DENIED
        off · none · fetch network: @evil.org:8080 · allow fetch; ask fetch(evil.org) → permission
        off · none · fetch network: @evil.org:8080 · allow fetch; deny fetch(evil.org:8080) → block DENIED
        off · none · fetch network: @evil.org:8081 · allow fetch; deny fetch(evil.org:8080) → allow work
        off · none · fetch network: @evil.org · allow fetch; deny fetch(evil.org:8080) → allow work
        off · none · fetch network: @::2:80 · allow fetch; deny fetch(::2) → allow work
        off · none · fetch network: @good.org:8080 · allow fetch(good.org) → permission
        off · none · fetch network: @good.org:8080 · allow fetch(good.org:8080) → allow work
        ",
    );
}

/// What an agent does itself may be like several tools of ours, and may not name what it touches.
#[test]
fn what_is_like_several_tools_is_judged_as_each_and_what_is_left_out_may_be_anything() {
    table(
        "
        off · none · write_file write: docs/a · also edit_file; deny edit_file(docs/**) → block DENIED
        off · none · write_file write: docs/a · also edit_file; deny write_file(docs/**) → block DENIED
        off · none · write_file write: docs/a · also edit_file; ask edit_file(docs/**) → permission May edit_file docs/a run?
        off · none · write_file write: docs/a · also edit_file; ask edit_file; kept write_file(docs/a) → permission
        off · none · write_file write: docs/a · also edit_file; ask edit_file; kept {write_file,edit_file}(docs/a) → allow work
        off · none · write_file write: b · also edit_file; deny edit_file(docs/**) → allow work
        strict · approved[write_file b] · write_file write: b · also edit_file → allow work
        strict · approved[+{write_file,edit_file}(b)] · write_file write: b · also edit_file → allow work
        off · none · fetch network → permission May fetch run? It does not say where.
        off · none · fetch network · allow fetch → allow work
        off · none · fetch network · allow fetch; deny fetch(evil.org) → permission It does not say where
        off · none · write_file write · deny write_file(docs/**) → permission It does not say which file
        off · none · write_file write · deny write_file(docs/**); yes → allow work
        off · none · move_file write: a · deny move_file(mv/**) → permission from where to where
        off · none · move_file write: a, b · deny move_file(mv/**) → allow work
        ",
    );
}

#[test]
fn a_rule_for_what_is_like_several_tools_names_them_all() {
    let facts = Facts { also: vec!["edit_file".to_owned()], ..table::facts("write_file write: a") };
    let rule = Rule::exactly(RuleAction::Allow, &facts).expect("a rule");
    assert_eq!(rule.to_string(), "{write_file,edit_file}(a)");
}

#[test]
fn a_rule_for_an_address_reads_as_the_address() {
    let facts = table::facts("fetch network: @[::1]:7455");
    let rule = Rule::exactly(RuleAction::Allow, &facts).expect("a rule");
    assert_eq!(rule.to_string(), "fetch([::1]:7455)");
    assert_eq!(Rule::parse(RuleAction::Allow, &rule.to_string()), Some(rule));
}

/// What is understood of a command is enough to forbid it, whatever files a pattern stands for.
/// Where nothing is understood, a person reads it.
#[test]
fn a_prohibition_holds_for_patterns_and_may_for_what_is_not_understood() {
    let rules = "deny shell(rm *); deny shell(git push *)";
    for row in ["% rm -rf *", "% ls ; rm -rf *", "%[sub] rm -rf *", "? git push > log"] {
        for yes in ["", "; yes"] {
            table(&format!("off · none · shell exec: {row} · {rules}{yes} → block DENIED"));
        }
    }
    for row in [
        "? true && rm -rf $X",
        "? A=1 timeout 5 rm $X > log",
        "? echo $(rm x)",
        "? for f in *; do rm $f; done",
        "? cd 'sub'\\ngit push origin $B",
        "? git -C . push $B",
        "% ls *",
        "? echo 'ls; rm x' > f",
        "? git $X",
        "? cat > f << 'E'\\nrm x\\nE",
        "? $X x",
    ] {
        table(&format!("off · none · shell exec: {row} · {rules} → permission"));
        table(&format!("off · none · shell exec: {row} · {rules}; yes → allow work"));
    }
    // A permission is no wider for it.
    table(
        "
        off · none · shell exec: ? git status $X · bare; allow shell(git status*) → permission
        off · none · shell exec: % git status * · bare; allow shell(git *) → permission
        ",
    );
}

#[test]
fn a_prohibition_leaves_alone_what_only_speaks_of_it() {
    let rows = [
        "git commit -m push it",
        "git log push x",
        "git stash push",
        "git status",
        "echo git push x",
        "grep -r push .",
        "cargo test",
        "find . -name git",
        "docker push x",
        "ls push",
    ];
    for row in rows {
        table(&format!("off · none · shell exec: $ {row} · deny shell(git push *) → allow work"));
    }
    // What only looks starts nothing; what else may be started by what is not known, a person reads.
    table("off · none · shell read: $ sed -n 1,50p a.rs · deny shell(git push *) → allow look");
    for row in [
        "git -C . commit -m wip",
        "sed -i s/hello/bye/ a.rs",
        "python x.py",
        "timeout 5 cargo test",
        "env A=b ls",
        "nice -n 10 git status",
    ] {
        table(&format!("off · none · shell exec: $ {row} · deny shell(git push *) → permission"));
    }
    // A wrapper gains nothing from a permission.
    table(
        "
        off · none · shell exec: $ timeout 5 git status · bare; allow shell(git status) → permission
        off · none · shell exec: $ /tmp/git status · bare; allow shell(git status) → permission
        off · none · shell exec: $ git -C x status · bare; allow shell(git status) → permission
        ",
    );
}

/// Who takes a folder takes all that is in it.
#[test]
fn rules_hold_for_the_folder_above_what_they_name() {
    table(
        "
        off · none · delete_file write: keep · deny delete_file(keep/**) → block DENIED delete_file(keep/**) forbids this: the folder holds what it protects
        off · none · delete_file write: keep · deny delete_file(./keep/**) → block DENIED holds
        off · none · delete_file write: keep · deny delete_file(keep/*.md) → block DENIED holds
        off · none · delete_file write: deep · deny delete_file(deep/a/b.txt) → block DENIED holds
        off · none · delete_file write: deep/a · deny delete_file(deep/a/b.txt) → block DENIED holds
        off · none · delete_file write: deep/a · deny *(deep/a/**/*.env) → block DENIED holds
        off · none · delete_file write: . · deny delete_file(keep/**) → block DENIED holds
        off · none · delete_file write: k[1] · deny delete_file(k[[]1[]]/a) → block DENIED holds
        off · none · delete_file write: ^/srv · deny delete_file(/srv/data/**) → block DENIED holds
        off · none · move_file write: deep, deep2 · deny move_file(deep/a/b.txt) → block DENIED holds
        off · none · move_file write: other, deep · deny move_file(deep/a/b.txt) → block DENIED holds
        off · none · delete_file write: keep · deny delete_file(keep/**); yes → block DENIED
        off · none · delete_file write: keep · deny delete_file(keep/**); kept delete_file(keep) → block DENIED
        strict · approved[delete_file keep] · delete_file write: keep · deny delete_file(keep/**) → block DENIED
        off · none · delete_file write: keep · deny delete_file(**/*.env) → permission
        off · none · delete_file write: keep · deny delete_file(*/a) → permission
        off · none · delete_file write: keep · deny delete_file({keep/a,other}) → permission
        off · none · delete_file write: deep/a · deny delete_file(deep/**/b.txt) → permission
        off · none · delete_file write: keep · deny delete_file(**/*.env); yes → allow work
        off · none · delete_file write: keep · deny delete_file(**/*.env); kept delete_file(keep) → allow work
        strict · approved[delete_file keep] · delete_file write: keep · deny delete_file(**/*.env) → permission
        off · none · delete_file write: keep · ask delete_file(keep/**) → permission
        off · none · move_file write: deep, deep2 · ask move_file(deep/a/b.txt) → permission
        off · none · delete_file write: keep · ask delete_file(**/*.env) → permission
        off · none · delete_file write: keeper · deny delete_file(keep/**) → allow work
        off · none · delete_file write: deep/c · deny delete_file(deep/a/b.txt) → allow work
        off · none · delete_file write: keep · deny delete_file(*.env) → allow work
        off · none · delete_file write: keep · deny delete_file(other/**/*.env) → allow work
        off · none · delete_file write: keep · deny move_file(keep/**) → allow work
        off · none · write_file write: keep · deny write_file(keep/**) → allow work
        off · none · list_dir read: keep · deny list_dir(keep/**) → allow look
        off · none · delete_file write: keep · ask delete_file; kept delete_file(keep/**) → permission
        off · none · delete_file write: ^/srv · allow delete_file(/srv/data/**) → permission
        off · none · delete_file write: keep · ask delete_file; kept delete_file(**/*.env) → permission
        ",
    );
}

#[test]
fn allow_and_ask_rules_come_before_the_defaults() {
    table(
        "
        off · none · fetch network: @example.org · allow fetch → allow work
        off · none · fetch network: @example.org · allow fetch(example.org) → allow work
        off · none · fetch network: @example.org · kept fetch(example.org) → allow work
        off · none · fetch network: @example.org · ask fetch; kept fetch(example.org) → allow work
        off · none · fetch network: @example.org · ask fetch; kept fetch(other.org) → permission
        off · none · fetch network: @example.org · deny fetch; kept fetch(example.org) → block DENIED
        off · none · fetch network: @example.org, @evil.org · allow fetch(example.org) → permission
        off · none · fetch network · allow fetch(example.org) → permission
        off · none · fetch network: @[::1]:7455 · allow fetch([::1]:7455) → allow work
        off · none · fetch network: @[::1]:7455 · kept fetch([[]::1[]]:7455) → allow work
        off · none · fetch network: @[::1]:7455 · deny fetch([::1]:7455); allow fetch → block DENIED
        off · none · fetch network: @1:7455 · allow fetch([::1]:7455) → permission
        off · none · tracker.close write_outside · allow tracker.close → allow work
        off · none · tracker.close write_outside · allow tracker.open → permission
        off · none · write_file write_outside: ^/tmp/a · allow write_file(/tmp/*) → allow work
        off · none · write_file write_outside: ^/tmp/b/a · allow write_file(/tmp/*) → permission
        off · none · write_file write_outside: ^/etc/hosts · allow write_file(**) → permission
        off · none · write_file write_outside: ^/home/me/notes.md · allow write_file(**/notes.md) → permission
        off · none · write_file write: docs/../../etc/hosts · allow write_file(docs/**) → permission
        off · none · write_file write: ^/etc/hosts → permission
        off · none · shell exec: $ make, @example.org → permission
        off · none · shell network: $ git fetch, @example.org · allow shell(git *) → permission
        off · none · shell exec: $ git status · ask shell → permission
        off · none · shell exec: $ git status · ask shell(git *) → permission
        off · none · shell exec: $ ls | git apply · ask shell(git *) → permission
        off · none · shell exec: $ ls · ask shell(git *) → allow work
        off · none · shell exec: $ ls · ask shell; allow shell(ls) → permission
        off · none · write_file write: a.md · ask write_file → permission
        off · none · read_file read: .env · ask read_file(.env) → permission
        off · none · read_file read: a.md · ask read_file(.env) → allow look
        strict · none · read_file read: .env · ask read_file(.env) → permission
        off · none · spawn_sidekick delegate · ask spawn_sidekick → permission
        off · none · plan control · ask * → allow look
        soft · none · write_file write: a.md · ask write_file → permission
        soft · none · fetch network: @example.org · allow fetch → warn without a plan
        off · running[] · fetch network: @example.org → permission
        off · running[] · write_file write: a.md → allow work
        off · approved[write_file a.md] · write_file write: b.md → allow work
        off · done[] · write_file write: a.md → allow work
        off · cancelled[] · write_file write: a.md → allow work
        off · cancelled[] · fetch network: @example.org → permission
        strict · approved[write_file a.md] · write_file write: a.md · ask write_file → allow work
        strict · approved[fetch example.org] · fetch network: @example.org · ask fetch → allow work
        strict · approved[write_file a.md] · write_file write: b.md · allow write_file → drift
        strict · approved[write_file a.md] · write_file write: b.md · ask write_file → drift
        ",
    );
}

#[test]
fn a_permission_for_a_command_covers_all_of_it() {
    table(
        "
        off · none · shell exec: $ git status · bare; allow shell(git status*) → allow work
        off · none · shell exec: $ git status -s · bare; allow shell(git status*) → allow work
        off · none · shell exec: $ git status ; rm -rf x · bare; allow shell(git status*) → permission
        off · none · shell exec: $ git status && rm -rf x · bare; allow shell(git status*) → permission
        off · none · shell exec: $ git status | sh · bare; allow shell(git status*) → permission
        off · none · shell exec: $ git status ; git status · bare; allow shell(git status*) → allow work
        off · none · shell exec: ? git status; $(rm x) · bare; allow shell(git status*) → permission
        off · none · shell exec: ? git status > a · bare; allow shell(git status*) → permission
        off · none · shell exec: ? git status > a · bare; allow shell(git status > a) → allow work
        off · none · shell exec: $ · bare; allow shell(git status*) → permission
        off · none · shell exec: $ git push · bare; allow shell(git status*) → permission
        off · none · shell exec: $ git push · bare; kept shell(git push) → allow work
        off · none · write_file write_outside: ^/tmp/a · allow shell(*) → permission
        ",
    );
}

#[test]
fn without_a_sandbox_programs_are_asked_about_and_strict_runs_none() {
    table(
        "
        off · none · shell exec: $ make · bare → permission
        off · none · shell read: $ git log · bare → permission
        off · none · build.run exec · bare → permission
        off · none · shell exec: $ make · bare; allow shell(make) → allow work
        off · none · shell exec: $ make · bare; yes → allow work
        off · none · write_file write: a.md · bare → allow work
        off · none · read_file read: a.md · bare → allow look
        soft · none · shell exec: $ make · bare → permission
        strict · none · shell exec: $ make · bare → block NOT_APPROVED
        strict · none · shell read: $ git log · bare → block NO_SANDBOX
        strict · none · read_file read: a.md · bare → allow look
        strict · approved[shell make] · shell exec: $ make · bare → block NO_SANDBOX can't be confined
        strict · approved[may change] · shell exec: $ make · bare → block NO_SANDBOX
        strict · approved[shell make] · shell exec: $ make · bare; yes → block NO_SANDBOX
        strict · approved[shell make] · shell exec: $ make · bare; allow shell → block NO_SANDBOX
        strict · approved[shell curl example.org] · shell network: $ curl example.org, @example.org · bare → block NO_SANDBOX
        strict · approved[fetch example.org] · fetch network: @example.org · bare → allow work
        ",
    );
}

#[test]
fn yes_to_this_very_call_is_enough_where_a_person_may_be_asked() {
    table(
        "
        off · none · fetch network: @example.org · yes → allow work
        off · none · write_file write_outside: ^/etc/hosts · yes → allow work
        off · none · shell exec: $ ls · ask shell; yes → allow work
        off · none · read_file read: .env · ask read_file; yes → allow look
        soft · none · fetch network: @example.org · yes → allow work
        strict · approved[write_file a.md] · write_file write: b.md · yes → allow work
        strict · approved[shell make] · shell exec: ? make $(x) · yes → allow work
        strict · approved[] · fetch network: @example.org · yes → allow work
        ",
    );
}

#[test]
fn soft_warns_about_what_the_plan_does_not_name() {
    table(
        "
        soft · running[write_file a.md] · write_file write: a.md → allow work
        soft · running[write_file a.md] · write_file write: b.md → warn not what the step names
        soft · running[] · write_file write: a.md → warn not what the step names
        soft · running[may change] · shell exec: $ make → allow work
        soft · running[shell make] · shell exec: $ make → allow work
        soft · running[shell make] · shell exec: $ ls → warn
        soft · running[shell make] · shell read: $ ls → allow look
        soft · running[write_file a.md] · fetch network: @example.org → permission
        soft · approved[write_file a.md] · write_file write: a.md → allow work
        soft · void[write_file a.md] · write_file write: a.md → allow work
        soft · done[write_file a.md] · write_file write: a.md → warn without a plan
        soft · cancelled[write_file a.md] · write_file write: a.md → warn without a plan
        ",
    );
}

/// Looking is judged by the rules, whatever was approved and whichever step is under way.
#[test]
fn no_approval_makes_reading_freer_or_less_free() {
    table(
        "
        strict · awaiting[write_file a.md] · read_file read: .env · ask read_file(.env) → permission
        strict · approved[write_file a.md] · read_file read: .env · ask read_file(.env) → permission
        strict · approved[may change] · read_file read: .env · ask read_file(.env) → permission
        strict · approved[write_file a.md] · read_file read: .env · ask read_file(.env); yes → allow look
        strict · approved[write_file a.md] · read_file read: .env · ask read_file(.env); kept read_file(.env) → allow look
        strict · approved[shell make] · shell read: $ cat .env · ask shell(cat .env) → permission
        off · none · read_file read: a.md · under strict approved[write_file a.md]; step s9 → allow look
        strict · none · shell read: $ git log · under strict approved[write_file a.md]; step s9 → allow look
        off · none · read_file read: .env · under strict approved[write_file a.md]; above ask read_file(.env) → permission
        off · none · write_file write: a.md · under strict approved[write_file a.md]; step s9 → drift
        ",
    );
}

#[test]
fn reading_ends_at_the_workspace() {
    table(
        "
        off · none · read_file read: ^/etc/shadow → block OUTSIDE /etc/shadow
        soft · none · read_file read: ^/etc/shadow → block OUTSIDE
        strict · approved[may change] · read_file read: ^/etc/shadow → block OUTSIDE
        off · none · read_file read: a/../../b → block OUTSIDE
        off · none · read_file read: a..b/c → allow look
        off · paused supervisor[] · read_file read: ^/etc/shadow → block PAUSED
        ",
    );
}

/// Neither the workspace as a whole nor what lies outside can be named; nor a tool by its name alone.
#[test]
fn what_a_step_can_not_name_is_not_granted() {
    for named in ["/", ".", "./", "//", "./.", "..", "../up", "/etc/hosts", "/, .", "a/../b"] {
        for tool in ["any", "write_file", "delete_file"] {
            let call = if tool == "any" { "write_file" } else { tool };
            for touched in ["a.md", ".", "docs/a.md", "b", "up", "etc/hosts"] {
                table(&format!(
                    "strict · approved[{tool} {named}] · {call} write: {touched} → drift"
                ));
            }
            let outside = format!("{call} write_outside: ^/etc/hosts");
            table(&format!("strict · approved[{tool} {named}] · {outside} → drift"));
        }
    }
    table(
        "
        strict · approved[tracker.close issue 4] · tracker.close write_outside: a → drift
        strict · approved[any **] · write_file write: docs/a.md → allow work
        strict · approved[write_file docs/] · write_file write: docs → allow work
        strict · approved[write_file docs/] · write_file write: docs/a.md → drift
        ",
    );
}

//! Who calls, and who vouches for what the call does. A sidekick has the rights of its own room and
//! of every room above it, and no more.

use crate::table::table;

#[test]
fn a_sidekick_of_a_strict_room_is_as_strict() {
    table(
        "
        off · none · read_file read: a.md · under strict none → allow look
        off · none · shell read: $ git log · under strict none → allow look
        off · none · plan control · under strict none → allow look
        off · none · write_file write: a.md · under strict none → block NOT_APPROVED
        off · none · edit_file write: a.md · under strict none → block NOT_APPROVED
        off · none · create_directory write: d · under strict none → block NOT_APPROVED
        off · none · move_file write: a.md, b.md · under strict none → block NOT_APPROVED
        off · none · delete_file write: a.md · under strict none → block NOT_APPROVED
        off · none · shell exec: $ make · under strict none → block NOT_APPROVED
        off · none · shell exec: ? bash -c x · under strict none → block NOT_APPROVED
        off · none · fetch network: @example.org · under strict none → block NOT_APPROVED
        off · none · spawn_sidekick delegate · under strict none → block NOT_APPROVED
        off · none · tracker.close write_outside · under strict none → block NOT_APPROVED
        off · none · write_file write: a.md · under strict none; allow * → block NOT_APPROVED
        off · none · write_file write: a.md · under strict none; kept write_file → block NOT_APPROVED
        off · none · write_file write: a.md · under strict none; above allow * → block NOT_APPROVED
        off · none · write_file write: a.md · under strict none; yes → block NOT_APPROVED
        soft · none · write_file write: a.md · under strict none → block NOT_APPROVED
        soft · running[may change] · write_file write: a.md · under strict none → block NOT_APPROVED
        strict · approved[write_file a.md] · write_file write: a.md · under strict none → block NOT_APPROVED
        off · none · write_file write: a.md · under off none; under strict none → block NOT_APPROVED
        off · none · write_file write: a.md · under strict awaiting[write_file a.md] → block NOT_APPROVED waits for a person
        off · none · write_file write: a.md · under off awaiting[write_file a.md] → block NOT_APPROVED
        off · none · write_file write: a.md · under off sent[write_file a.md] → block NOT_APPROVED sent the plan back
        off · none · write_file write: a.md · under strict void[write_file a.md] → block NOT_APPROVED
        off · none · write_file write: a.md · under strict asked[write_file a.md] → block NOT_APPROVED
        off · none · write_file write: a.md · under strict done[write_file a.md] → block NOT_APPROVED
        off · none · write_file write: a.md · under strict cancelled[write_file a.md] → block NOT_APPROVED
        off · none · read_file read: a.md · under off paused supervisor[] → block PAUSED
        off · none · write_file write: a.md · under strict paused drift[write_file a.md] → block PAUSED
        ",
    );
}

#[test]
fn a_sidekick_has_the_scope_of_its_step_and_no_other() {
    table(
        "
        off · none · write_file write: a.md · under strict approved[write_file a.md]; step s1 → allow work
        off · none · write_file write: b.md · under strict approved[write_file a.md]; step s1 → drift step 1
        off · none · write_file write: b.md · under strict approved[write_file a.md][write_file b.md]; step s1 → drift step 1
        off · none · write_file write: b.md · under strict approved[write_file a.md][write_file b.md]; step s2 → allow work
        off · none · write_file write: a.md · under strict approved[write_file a.md][write_file b.md]; step s2 → drift step 2
        off · none · write_file write: a.md · under strict approved[write_file a.md]; step s9 → drift
        off · none · shell exec: $ make · under strict approved[shell make]; step s1 → allow work
        off · none · shell exec: $ make && rm a · under strict approved[shell make]; step s1 → drift
        off · none · shell exec: ? make $(x) · under strict approved[shell make]; step s1 → drift
        off · none · write_file write: a.md · under strict approved[may change]; step s1 → allow work
        off · none · fetch network: @example.org · under strict approved[may change]; step s1 → drift
        off · none · fetch network: @example.org · under strict approved[fetch example.org]; step s1 → permission
        off · none · fetch network: @example.org · under strict approved[fetch example.org]; step s1; allow fetch → allow work
        off · none · write_file write: b.md · under strict approved[write_file a.md]; step s1; yes → allow work
        off · none · write_file write: a.md · under strict approved[]; step s1 → drift
        off · none · read_file read: b.md · under strict approved[write_file a.md]; step s1 → allow look
        strict · none · write_file write: a.md · under strict approved[write_file a.md]; step s1 → block NOT_APPROVED
        strict · approved[write_file a.md] · write_file write: a.md · under strict approved[write_file b.md]; step s1 → drift
        off · none · write_file write: a.md · under strict approved[write_file a.md]; step s1; under strict approved[write_file a.md]; step s1 → allow work
        off · none · write_file write: a.md · under strict approved[write_file a.md]; step s1; under strict approved[write_file b.md]; step s1 → drift
        off · none · spawn_sidekick delegate · under strict approved[write_file a.md]; step s1 → drift
        off · none · spawn_sidekick delegate · under strict approved[spawn_sidekick any]; step s1 → allow work
        ",
    );
}

#[test]
fn rules_of_every_room_above_hold() {
    table(
        "
        off · none · shell exec: $ make · under off none → allow work
        off · none · shell exec: $ make · under off none; above deny shell → block DENIED
        off · none · shell exec: $ make · under off none; above ask shell → permission
        off · none · shell exec: $ make · under off none; above ask shell; allow shell → permission
        off · none · shell exec: $ make · under off none; under off none; above deny shell → block DENIED
        off · none · fetch network: @example.org · under off none; above allow fetch → permission
        off · none · fetch network: @example.org · under off none; above allow fetch; allow fetch → allow work
        off · none · fetch network: @example.org · under off none; above deny fetch; allow fetch; yes → block DENIED
        off · none · write_file write: a.md · under soft none → warn without a plan
        off · none · write_file write: a.md · under soft running[write_file a.md]; step s1 → allow work
        off · none · write_file write: b.md · under soft running[write_file a.md]; step s1 → warn not what the step names
        off · none · nope unknown: a · under off none → block UNKNOWN_TOOL
        off · none · shell exec: $ make · under strict approved[shell make]; step s1; bare → block NO_SANDBOX
        ",
    );
}

#[test]
fn a_rule_kept_above_holds_below_and_lets_nothing_past_deny_or_scope() {
    table(
        "
        off · none · fetch network: @example.org · under off none; above kept fetch → allow work
        off · none · fetch network: @other.org · under off none; above kept fetch(example.org) → permission
        off · none · fetch network: @example.org · under off none; under off none; above kept fetch → allow work
        off · none · fetch network: @example.org · under off none; above kept fetch; under off none → permission
        off · none · fetch network: @example.org · kept fetch; under off none → permission
        off · none · shell exec: $ make · ask shell; under off none; above kept shell → allow work
        off · none · shell exec: $ make · deny shell; under off none; above kept shell → block DENIED
        off · none · shell exec: $ make · under off none; above deny shell; above kept shell → block DENIED
        off · none · shell exec: $ make · under off none; above kept shell; under off none; above deny shell → block DENIED
        off · none · write_file write: a.md · under strict none; above kept write_file → block NOT_APPROVED
        strict · none · write_file write: a.md · under off none; above kept write_file → block NOT_APPROVED
        off · none · write_file write: a.md · under strict awaiting[write_file a.md]; above kept * → block NOT_APPROVED
        off · none · write_file write: b.md · under strict approved[write_file a.md]; step s1; above kept write_file → drift step 1
        off · none · shell exec: $ make && rm a · under strict approved[shell make]; step s1; above kept shell → drift
        off · none · fetch network: @example.org · under strict approved[may change]; step s1; above kept fetch → drift
        off · none · fetch network: @example.org · under strict approved[fetch example.org]; step s1; above kept fetch → allow work
        off · none · read_file read: a.md · under off paused supervisor[]; above kept * → block PAUSED
        ",
    );
}

#[test]
fn what_nobody_vouches_for_might_do_anything() {
    table(
        "
        off · none · web.look read · from server → allow look
        off · none · web.look read · from person → allow look
        off · none · web.look read · from nobody → permission Nobody vouches
        off · none · web.look control · from nobody → permission Nobody vouches
        off · none · web.look write · from nobody → permission
        off · none · web.look read · from nobody; allow web.* → allow work
        off · none · web.look read · from nobody; deny web.* → block DENIED
        off · none · web.look read · from nobody; yes → allow work
        soft · none · web.look read · from server → allow look
        soft · none · web.look read · from nobody → permission
        soft · none · web.look write · from person → warn
        strict · none · web.look read · from server → allow look
        strict · none · web.look read · from person → allow look
        strict · none · web.look read · from nobody → block NOT_APPROVED
        strict · none · web.look control · from nobody → block NOT_APPROVED
        strict · none · web.look read · from nobody; allow * → block NOT_APPROVED
        strict · none · web.look network · from server → block NOT_APPROVED
        strict · none · web.look write_outside · from server → block NOT_APPROVED
        strict · none · web.look write · from person → block NOT_APPROVED
        strict · awaiting[write_file a.md] · web.look read · from server → allow look
        strict · awaiting[write_file a.md] · web.look read · from nobody → block NOT_APPROVED
        strict · sent[write_file a.md] · web.look read · from nobody → block NOT_APPROVED
        strict · approved[write_file a.md] · web.look read · from nobody → drift
        strict · approved[may change] · web.look read · from nobody → drift
        strict · approved[may change] · web.look write · from person → allow work
        off · none · web.look read · from nobody; under strict none → block NOT_APPROVED
        off · none · web.look read · from server; under strict none → allow look
        off · paused supervisor[] · web.look read · from server → block PAUSED
        ",
    );
}

#[test]
fn targets_as_models_write_them() {
    table(
        "
        strict · approved[fetch https://example.org/a/b] · fetch network: @example.org → allow work
        strict · approved[fetch https://example.org:8443/a] · fetch network: @example.org:8443 → allow work
        strict · approved[fetch https://example.org/a/b] · fetch network: @evil.org → drift
        strict · approved[fetch https://example.org@evil.org/] · fetch network: @example.org → drift
        strict · approved[edit_file src/{a,b}.rs] · edit_file write: src/a.rs → allow work
        strict · approved[edit_file src/{a,b}.rs] · edit_file write: src/b.rs → allow work
        strict · approved[edit_file src/{a,b}.rs] · edit_file write: src/c.rs → drift
        strict · approved[edit_file src/{a,b}.rs, c.md] · edit_file write: c.md → allow work
        strict · approved[edit_file ./docs/] · edit_file write: docs/a.md → drift
        strict · running[write_file a.md] · write_file write: a.md → block NOT_APPROVED plan(action=
        strict · approved[write_file a.md] · edit_file write: a.md → allow work
        strict · approved[write_file a.md] · delete_file write: a.md → drift
        strict · approved[write_file a.md] · move_file write: a.md, b.md → drift
        strict · approved[any a.md] · delete_file write: a.md → drift
        strict · approved[delete_file a.md] · delete_file write: a.md → allow work
        strict · approved[delete_file a.md] · write_file write: a.md → drift
        strict · approved[move_file a.md, b.md] · move_file write: a.md, b.md → allow work
        strict · approved[shell curl example.org] · shell network: $ curl example.org, @example.org → drift
        strict · approved[shell curl https://example.org/x] · shell network: $ curl https://example.org/x, @example.org → allow work
        strict · approved[+write_file(a.md)] · write_file write: a.md → allow work
        strict · approved[+move_file(a.md)] · move_file write: a.md, b.md → drift
        ",
    );
}

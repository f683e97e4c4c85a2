// Made-up rooms that try the layout: words from right to left, what is very wide, very long, or cut off by a quit.

import type { PlanView, StepView } from '../src/lib/wire'
import type { Fixture } from './fixtures'
import { ask, Log, NOW, plan, room, RUNNING, step, usage } from './make'

/** Arabic and Hebrew beside numbers, names of files and English. */
export function turned(): Fixture {
  const view = plan({
    goal: 'مراجعة وحدة المصادقة: كل مسار في src/auth، ونطاقاته (scopes)، وأي تناقضات!',
    state: 'running', budget_left: 5, actions: RUNNING, usage: usage(18_400, 0.06), ran_ms: 48_000, running_since: NOW - 24_000,
    steps: [
      step(1, 'اسرد كل مسار في وحدة auth (27 مسارًا).', 'done', { took_ms: 9000, result: 'وجدت 27 مسارًا في 4 ملفات.' }),
      step(2, 'לבדוק את ההרשאות של כל נתיב, כולל policy.toml!', 'in_progress', { attempts: 2, started_at: NOW - 24_000, tool: 'read_file', target: 'src/auth/policy.toml', waiting: true }),
      step(3, 'Compare scopes with the policy file', 'pending'),
      step(4, 'اكتب تقرير المراجعة، واذكر فيه كل مسار لا يتحقق من نطاقه، ومن يستدعيه، وما الذي يجب تغييره في الإصدار 2.0 حتى لا يتكرر ذلك مرة أخرى؛ ثم اشرح ما تبقى.', 'pending', { tool: 'write_file', target: 'docs/auth-audit.md' }),
    ],
  })
  const log = new Log()
    .created('مراجعة المصادقة (v2)', '/home/you/code/gateway')
    .said('راجع وحدة auth من فضلك، واكتب تقريرًا.\nAnd in English, too.')
    .planned(view)
    .push({ type: 'step_started', step: 's2' })
    .replied('وجدت `policy.toml` وفيه مفتاحان متكرران (41 و 57).\n\n- الأول: `admin:write`\n- الثاني: `read`!\n\n1. one in English.\n2. واحد بالعربية.\n\n> اقتباس قصير.\n\n| المسار | النطاق |\n| --- | --- |\n| /auth/a | read |\n\nאין כאן בעיה נוספת.')
  return { view: room({ title: 'مراجعة المصادقة (v2)', workspace: '/home/you/code/gateway', plan: view, busy: true, asks: [ask({ id: 'q', kind: 'question', step_id: 's2', text: 'هل أحذف المفتاح المكرر (41)؟', detail: [{ name: 'option', value: 'نعم، احذفه!' }, { name: 'option', value: 'No' }] })] }), events: log.events }
}

/** Quit while a command ran, and started again. */
export function cutOff(base: Fixture): Fixture {
  const detail = 'The app was closed while this ran, and it was cut off: shell sleep 300 && cargo test --workspace; shell npm run watch (in the background). What it did before that stays, and the agent is told to look.'
  const view: PlanView = { ...base.view.plan!, state: 'paused', pause_reason: 'interrupted', pause_detail: detail, running_since: null, actions: ['resume', 'change', 'skip', 'cancel'] }
  return { ...base, view: { ...base.view, busy: false, plan: view } }
}

/** Sixty steps, a very long name, and an answer with wide tables and code. */
export function crowded(): Fixture {
  const steps: StepView[] = Array.from({ length: 60 }, (_, i) =>
    step(i + 1, `Convert module ${i + 1} of the parser to the new error type`, i < 8 ? 'done' : i === 8 ? 'in_progress' : 'pending', i < 8 ? { took_ms: 8000, result: 'Converted.' } : i === 8 ? { started_at: NOW - 12_000 } : { tool: 'edit_file', target: `src/parser/module_${i + 1}/errors.rs` }),
  )
  const view = plan({ goal: 'Convert the whole parser', budget_left: 3, actions: RUNNING, usage: usage(412_000, 2.31), ran_ms: 760_000, running_since: NOW - 12_000, steps })
  const cells = (word: string) => Array.from({ length: 14 }, (_, i) => `${word}_${i + 1}_of_the_table`).join(' | ')
  const table = [cells('column'), Array.from({ length: 14 }, () => '---').join(' | '), cells('first'), cells('last')].join('\n')
  const code = Array.from({ length: 90 }, (_, i) => `fn line_${i + 1}() -> Result<(), ParserErrorWithAVeryLongNameThatGoesOnAndOn> { step_${i + 1}(the_first_argument, the_second_argument, the_third_argument) }`).join('\n')
  const title = 'Convert the whole parser to the new error type, module by module, and keep every test green'
  const log = new Log().created(title, '/home/you/code/parser').said('Convert the parser.').planned(view).push({ type: 'step_started', step: 's9' })
    .replied(`\`\`\`rust\n${code}\n\`\`\`\n\nThe table:\n\n${table}\n\nThat is all. ${'https://example.org/a-very-long-address-without-a-break'.repeat(4)}`)
  return { view: room({ title, workspace: '/home/you/code/parser', plan: view, busy: true }), events: log.events }
}

/** Steps of many words each. */
export function wordy(base: Fixture): Fixture {
  const words = (n: number) => `Write part ${n} of the report: ${'what was found there, who it is for, and which of the earlier parts it takes up again, '.repeat(8)}and end with what is open.`
  const view = base.view.plan!
  return { ...base, view: { ...base.view, plan: { ...view, steps: view.steps.map((step) => ({ ...step, text: words(step.number) })) } } }
}

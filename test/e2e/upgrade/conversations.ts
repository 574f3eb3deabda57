const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } })
/** Appends a line, so that the runs are counted. */
const count = (name: string): string => `echo run >> ${name}.count`
const says = (text: string) => ({ reply: { text } })
const calls = (...toolCalls: readonly unknown[]) => ({ reply: { tool_calls: toolCalls } })
const spawn = (task: string, more: object = {}) => ({ name: "sessions_spawn", arguments: { task, ...more } })
const read = (prompt: string) => ({
  name: "Task",
  arguments: { description: prompt, prompt, subagent_type: "explore" },
})

const conversation = (user: string, ...turns: readonly unknown[]) => ({ when: { user: `^${user}` }, turns })

/** Calls Bash once, which needs approval, and then ends. */
const asking = (user: string, name: string, text: string) =>
  conversation(user, calls(bash("call_1", count(name))), {
    expect: { tool_results: [{ name: "Bash", outcome: "ok" }] },
    ...says(text),
  })

/** Spawns two children, of which the second needs approval, and waits for their reports. */
const spawning = (user: string, name: string) => ({
  ...conversation(user, calls(spawn(`quick part`), spawn(`asking part of ${name}`)), says("Both are spawned.")),
  interjections: [{ last: { role: "user", contains: `Done: ${name}.` }, ...says("Both have reported.") }],
})

const alone = [
  asking("wait for approval", "approval", "Approved and run."),
  asking("wait for a link", "link", "Run by link."),
  asking("be cancelled", "cancelled", "never"),
  conversation(
    "half decided",
    calls(bash("call_a", count("a")), bash("call_b", count("b")), bash("call_c", count("c"))),
    {
      expect: {
        tool_results: [
          { name: "Bash", outcome: "ok" },
          { name: "Bash", outcome: "rejected" },
        ],
      },
      ...says("One was rejected."),
    },
  ),
  conversation("have a question", says("Left or right?"), {
    expect: { last: { role: "user", contains: "left" } },
    ...calls({ name: "finish", arguments: { result: "Left it is." } }),
  }),
  conversation("queue a follow-up", calls(bash("call_1", count("follow-up"))), says("First run done."), {
    expect: { last: { role: "user", contains: "and then this" } },
    ...says("Second run done."),
  }),
  conversation("end early", says("First answer."), says("Second answer.")),
  conversation(
    "go a long way",
    ...Array.from({ length: 12 }, () => calls({ name: "LS", arguments: {} })),
    calls(bash("call_1", count("long"))),
    says("Arrived."),
  ),
  // The second call ends when the project is removed, or when the worker's successor ends it.
  conversation(
    "run a batch",
    calls(
      bash("call_a", count("before")),
      bash("call_b", `${count("during")}; while [ -e conversations.yaml ]; do sleep 0.05; done`),
      bash("call_c", count("after")),
    ),
    {
      expect: {
        tool_results: [
          { name: "Bash", outcome: "ok" },
          { name: "Bash", outcome: "unknown" },
        ],
      },
      ...says("The batch is done."),
    },
  ),
  conversation("talk", says("Hello in the thread."), says("Hello again in the thread.")),
  asking("work in the thread", "thread", "Worked in the thread."),
]

const trees = [
  conversation("read two parts", calls(read("quick part"), read("read the asking part")), {
    expect: {
      tool_results: [
        { name: "Task", contains: "Done: quick." },
        { name: "Task", contains: "Done: reading." },
      ],
    },
    ...says("Both parts are read."),
  }),
  conversation("read the asking part", calls({ name: "Grep", arguments: { pattern: "x" } }), says("Done: reading.")),
  conversation("quick part", says("Done: quick.")),
  spawning("spawn two", "spawned"),
  asking("asking part of spawned", "spawned", "Done: spawned."),
  spawning("spawn to be cancelled", "doomed"),
  asking("asking part of doomed", "doomed", "never"),
  conversation(
    "line up",
    calls(spawn("hold the slot", { model: "held", label: "first" }), spawn("queue for the slot", { label: "second" }), {
      name: "sessions_yield",
      arguments: {},
    }),
    {
      expect: { tool_results: [{ name: "sessions_yield", contains: "Done: queued." }] },
      ...says("The line is through."),
    },
  ),
  conversation("queue for the slot", says("Done: queued.")),
  conversation(
    "hand out a task",
    calls({
      name: "dynamic_subagent_task",
      arguments: { description: "look", instructions: "queue as a task", tools: ["LS"] },
    }),
    calls({ name: "wait_for_tasks", arguments: { task_ids: ["{{result:Task ID: (\\w+)}}"] } }),
    {
      expect: { tool_results: [{ name: "wait_for_tasks", contains: "Done: task." }] },
      ...says("The task has come back."),
    },
  ),
  conversation("[^]*queue as a task", says("Done: task.")),
]

/** The replies of the scripted model, by the first message of a session. */
export const conversations = { conversations: [...alone, ...trees] }

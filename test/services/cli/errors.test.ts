import { join } from "node:path"
import { create } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { Outcome } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ExpressionFaultSchema } from "../../../proto/gen/countersign/api/v1/errors_pb.ts"
import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { DecisionSchema } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { refusedError } from "../../../services/api/errors.ts"
import { errorReply } from "../../../services/common/error-reply.ts"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { runProgram } from "./dev-process.ts"
import { fakeApi } from "./fake-api.ts"

const WHOAMI = "/public/v1/query/whoami"
const [DENYING, ALLOWING, ACTIVITY] = [1, 2, 3].map(
  (digit) => `0198c0de-0000-7000-8000-00000000000${digit}`,
) as [string, string, string]

/** A data directory with the keys root and alice of organization org-1. */
async function keysOf(t: Test): Promise<{ COUNTERSIGN_DATA_DIR: string }> {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  for (const name of ["root", "alice"]) {
    await writeKey(folder, name, generateApiKey())
    await bindKey(folder, name, "org-1")
  }
  return { COUNTERSIGN_DATA_DIR }
}

t.test("a denial prints each policy's outcome, those that denied, and what would help", async (t) => {
  const environment = await keysOf(t)
  const policyOutcomes = [
    { policyId: DENYING, outcome: Outcome.DENY_EXPLICIT },
    { policyId: ALLOWING, outcome: Outcome.ALLOW },
  ]
  const refusal = {
    code: RefusalCode.PERMISSION_DENIED,
    sentence: `The following policies denied this action: ${DENYING}`,
    field: "",
    denial: create(DecisionSchema, { policyOutcomes }),
  }
  const policies = [{ policyId: DENYING, policyName: "nobody signs", reason: "it forbids this request" }]
  const advice = { "@type": "", policies, suggestions: ["ask root"] }
  const error = refusedError(refusal, undefined, { kind: "SIGN_RAW_PAYLOAD", advice })
  const reply = errorReply(error, { requestId: "r-1", activityId: ACTIVITY, linkBase: "https://api.example" })
  const api = await fakeApi(t, { [WHOAMI]: { status: 403, reply } })
  const { status, log } = await commandLine(environment, "request", "whoami", "--api", api.url)
  t.equal(status, 3)
  t.strictSame(log.trimEnd().split("\n").slice(1), [
    `The following policies denied this action: ${DENYING}`,
    `  policy ${ALLOWING}: OUTCOME_ALLOW`,
    '  policy "nobody signs": it forbids this request',
    "  to have it allowed: ask root",
    "  see https://api.example/docs/errors/PERMISSION_DENIED",
    `  why: npx countersign activity explain ${ACTIVITY}`,
  ])
})

t.test("--json prints every error as one line of JSON", async (t) => {
  const environment = await keysOf(t)
  const error = (log: string) => (JSON.parse(log) as { error: unknown }).error
  const reply = refusedError({ code: RefusalCode.LIMIT_EXCEEDED, sentence: "too many", field: "" }).body()
  const api = await fakeApi(t, { [WHOAMI]: { status: 429, reply } })
  const refused = await commandLine(environment, "whoami", "--json", "--api", api.url)
  t.match(refused, { status: 3, out: "" })
  t.match(error(refused.log), {
    exitStatus: 3,
    message: /^too many/,
    reply: { code: 8, message: "too many" },
  })
  const usage = await commandLine(environment, "whoami", "--json", "--nonsense")
  t.strictSame(error(usage.log), {
    exitStatus: 2,
    message: "unknown option '--nonsense'",
    lines: ["countersign whoami --help explains the command and its options"],
  })
  const settings = { COUNTERSIGN_API_LISTEN: "nowhere", COUNTERSIGN_DATADIR: "x" }
  const faulty = await commandLine(settings, "key", "generate", "a", "--json")
  t.match(error(faulty.log), { exitStatus: 2, lines: Array })
})

t.test(
  "a refusal whose text is literal has its remedy, and a fault of an expression its column",
  async (t) => {
    const environment = await keysOf(t)
    const refused = async (refusal: Parameters<typeof refusedError>[0]) => {
      const reply = errorReply(refusedError(refusal), { requestId: "r-1" })
      const api = await fakeApi(t, { [WHOAMI]: { status: 400, reply } })
      return (await commandLine(environment, "whoami", "--api", api.url)).log
    }
    const unknown = { code: RefusalCode.CREDENTIAL_UNKNOWN, sentence: "could not find", field: "" }
    t.match(
      await refused(unknown),
      /^countersign: could not find \(.*\)\n {2}to do: .*after `dev --reset` load `\.env\.local` again$/m,
    )
    const expression = create(ExpressionFaultSchema, { offset: 7, length: 6 })
    const fault = {
      code: RefusalCode.EXPRESSION_FIELD_UNKNOWN,
      sentence: "field does not exist: amount. Did you mean value?",
      field: "parameters.condition",
      expression,
    }
    t.match(
      await refused(fault),
      /Did you mean value\? \(EXPRESSION_FIELD_UNKNOWN at parameters\.condition, column 8, request r-1\)/,
    )
  },
)

t.test("a fault of the words names the command that explains them", async (t) => {
  for (const [words, line] of [
    [["whoami", "--nonsense"], "countersign whoami --help explains the command and its options"],
    [["policy", "replay"], "countersign policy replay --help explains the command and its options"],
    [["user", "list", "extra"], "countersign user list --help explains the command and its options"],
    [["whoami", "--jsno"], "countersign whoami --help explains the command and its options"],
    [["whoami", "--as"], "countersign whoami --help explains the command and its options"],
    [["org", "create", "Acme"], "countersign org create --help explains the command and its options"],
  ] as const) {
    const { status, out, log } = await commandLine({}, ...words)
    t.match({ status, out }, { status: 2, out: "" })
    t.equal(log.trimEnd().split("\n").at(-1), line)
  }
})

t.test("an unknown value lists few values, of many the closest one or where they are listed", async (t) => {
  const environment = await keysOf(t)
  const create = (source: string) =>
    commandLine(environment, "velocity-control", "create", "x", "--identifier", "x", "--source", source)
  t.match(await create("create-walet"), { status: 2, log: /did you mean create-wallet\?/ })
  const far = await create("zzz")
  t.match(far, { status: 2, log: /--source zzz: there is no such value; docs\/api\.md lists them/ })
  t.match(await create("refuse-unknown"), {
    status: 2,
    log: /--source refuse-unknown: needs an asset beside it/,
  })
  const type = (name: string) => commandLine(environment, "activity", "list", "--type", name)
  t.match(await type("create_walet"), {
    status: 2,
    log: /no such type of activity; did you mean create_wallet\?/,
  })
  t.match(await type("zzz"), { status: 2, log: /docs\/api\.md lists the types/ })
})

t.test("the operator's command prints its errors as JSON, too", async (t) => {
  const words = ["status", "--json", "--nonsense"]
  const { status, log } = await runProgram(t.testdirName, "signer/operator/main.ts", ...words)
  t.match(JSON.parse(log), { error: { exitStatus: status, message: /nonsense/ } })
  t.equal(status, 2)
})

t.test("a command whose activity waits prints the command that approves", async (t) => {
  const environment = await keysOf(t)
  const waiting = {
    organizationId: "org-1",
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    result: {},
  }
  const api = await fakeApi(t, {
    "/public/v1/submit/create_wallet": { reply: { activity: waiting } },
  })
  const words = ["request", "create_wallet", '{"walletName":"A"}', "--submit", "create_wallet"]
  const { status, log } = await commandLine(environment, ...words, "--api", api.url)
  t.equal(status, 4)
  // test/services/cli/with-dev/approvals.test.ts runs the command.
  t.match(log, /another user approves: npx countersign approve [0-9a-f]{8} --as NAME$/m)
})

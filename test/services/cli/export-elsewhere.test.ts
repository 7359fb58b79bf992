// A service that speaks the published API and lacks queries of this one: its organization is exported, and what is missing is named.
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { commandLine } from "./command-line.ts"
import { type Answer, fakeApi } from "./fake-api.ts"
import { ORGANIZATION, organizationAnswers, root } from "./organization-answers.ts"

const id = (digit: number) => `0198c0de-0000-7000-8000-00000000000${digit}`
const passkey = {
  authenticatorId: id(7),
  authenticatorName: "phone",
  credentialId: "AAAA",
  credential: { publicKey: "BBBB" },
}
const organization = {
  users: [{ ...root, authenticators: [passkey] }],
  wallets: [{ walletId: id(8), walletName: "Treasury" }],
  privateKeys: [{ privateKeyId: id(9), privateKeyName: "hot", privateKeyTags: [] }],
}

/** Answers of gateways to a path that nothing serves. */
const ABSENT: readonly Answer[] = [
  { status: 404, reply: { code: 5, message: "Not Found" } },
  { status: 501, reply: { code: 12, message: "Method Not Allowed" } },
  { status: 404, reply: "no page" },
]
const OF_OTHERS = ["get_organization", "whoami"]

async function exported(t: Test, answers: Record<string, Answer | (() => Answer)>, ...words: string[]) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  const folder = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(folder, "root", generateApiKey())
  await bindKey(folder, "root", ORGANIZATION)
  const api = await fakeApi(t, answers)
  return commandLine({ COUNTERSIGN_DATA_DIR }, "config", "export", ...words, "--api", api.url)
}

for (const [index, absent] of ABSENT.entries())
  t.test(
    `a service without our queries, whose gateway answers ${absent.status} (${index + 1})`,
    async (t) => {
      const all = organizationAnswers(() => organization)
      const queries = [
        ...Object.keys(all),
        "/public/v1/query/get_auth_proxy_config",
        "/public/v1/query/get_ip_allowlist",
      ]
      const answers = Object.fromEntries(
        queries.map((path) => [
          path,
          OF_OTHERS.some((one) => path.endsWith(`/${one}`)) ? all[path as keyof typeof all] : absent,
        ]),
      ) as Record<string, Answer>
      const { out, log, status } = await exported(t, answers)
      t.equal(status, 0)
      t.match(out, /organizationName: Acme[^]*userName: root/)
      const lines = log.trim().split("\n")
      const left = lines.filter((line) => line.startsWith("left out: "))
      t.strictSame(
        left
          .map((line) => /^left out: (\w+), because this service has no \w+$/.exec(line)?.[1] ?? line)
          .toSorted(),
        [
          ...(absent.status === 404 && index === 0 ? [] : ["authProxy"]),
          "emailTemplates",
          "fiatOnRampCredentials",
          "interfaces",
          "ipAllowlists",
          "oauth2Credentials",
          "sessionProfiles",
          "velocityControls",
          "webhookEndpoints",
        ],
      )
      t.strictSame(lines.slice(left.length), [
        "not in the file: 1 passkey; each works at its own site: its user registers another one",
        "not in the file: 1 wallet; countersign config move brings wallets",
        "not in the file: 1 private key; countersign config move brings private keys",
      ])
    },
  )

t.test(
  "a fault that is not about the path ends the export, and our own service is exported without a word",
  async (t) => {
    const own = organizationAnswers(() => organization)
    const allowlist = { reply: { allowlist: { enabled: false, onEvaluationError: "", rules: [] } } }
    const whole = { ...own, "/public/v1/query/get_ip_allowlist": allowlist }
    const { log, status } = await exported(t, whole)
    t.strictSame({ log, status }, { log: "", status: 0 })
    const refused = { status: 403, reply: { code: 7, message: "no access" } }
    const ended = await exported(t, { ...whole, "/public/v1/query/list_velocity_controls": refused })
    t.match(ended, { status: 3, log: /no access/ })
  },
)

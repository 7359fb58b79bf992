// Makes test/golden/secrets-<format>.json: run by hand when a release brings a new format, never for an old one.
//
//     node test/golden/make-secrets.ts > test/golden/secrets-1.json
import { readRootSeed } from "../../signer/process/root-seed.ts"
import { ApiClient, valueOf } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { SecretUser } from "../harness/secrets.ts"
import type { GoldenSecrets } from "./secrets.ts"

const CONTENTS: { content: string; name: string; properties: { [key: string]: string } }[] = [
  { content: "correct horse battery staple", name: "vault", properties: { kind: "password", scope: "ops" } },
  { content: "r\u00e9sum\u00e9 \u{1F511}\n", name: "", properties: {} },
]

const boundary = new InProcessBoundary()
const client = new ApiClient(boundary)
const fixture = { boundary, client, acme: await client.createOrganization() }
const user = new SecretUser(fixture)
const { organizationId, rootUserId: userId } = fixture.acme

const sealed = await user.sealed(
  ...CONTENTS.map(({ content: plaintext, name, properties }) =>
    name === "" ? { plaintext, properties } : { plaintext, name, properties },
  ),
)
const done = await user.submit("IMPORT_SECRETS", sealed)
if (valueOf(done, "importSecretsResult").secretIds.length !== CONTENTS.length) throw new Error("not imported")
const targets = (await user.targets(2)).map((message) => {
  const { data } = JSON.parse(message) as { data: string }
  return (JSON.parse(Buffer.from(data, "hex").toString()) as { targetPublic: string }).targetPublic
})
const row = boundary.signer.state().ledger.row(organizationId, "import-target", `secret/${userId}`)
if (row === undefined) throw new Error("no row of import keys")
const golden: GoldenSecrets = {
  dangerouslyRevealedSeed: readRootSeed(`${boundary.directory}/signer/root-seed`).use(hex),
  organizationId,
  userId,
  secrets: CONTENTS.map((secret, index) => ({
    ...secret,
    record: hex(done.records[index] ?? new Uint8Array(0)),
  })),
  importTargets: {
    row: hex(row),
    spent: sealed.secrets.map(({ targetPublicKey }) => targetPublicKey),
    targets,
  },
}

console.log(JSON.stringify(golden, undefined, 2))
await boundary.close()

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}

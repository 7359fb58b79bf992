import t from "tap"
import { ApiClient, signParams } from "../harness/api-client.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { type Fixture, setup } from "./setup.ts"

/** Over 16 KiB of members that the interface does not know. */
const manyMembers = (count: number) =>
  Array.from({ length: count }, (_, index) => `"member${index}":{}`).join()

/** The refusal of a body, sent in the turn of an organization as the API tier does. */
async function codeOf({ boundary }: Fixture, body: string, key: TestKey, turnOf: string): Promise<string> {
  const order = { body: Buffer.from(body), xStamp: stampWith(key, body), turnOf, documents: [], records: [] }
  const { answer } = await boundary.execute(order)
  return answer.case === "refused" ? answer.value.sentence : String(answer.case)
}

function bodyOf({ client, acme, address }: Fixture, members: number): string {
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  return body.replace("{", `{${manyMembers(members)},`)
}

t.test("B3: a large body is not parsed before its stamp was verified", async (t) => {
  const fixture = await setup(t)
  const { organizationId, root } = fixture.acme
  const malformed = `${bodyOf(fixture, 2000)}}`
  t.match(await codeOf(fixture, malformed, root, organizationId), /not strict JSON/, "a user's is")
  t.match(await codeOf(fixture, malformed, newKey(), organizationId), /could not find public key/)
  const stolen = { ...newKey(), publicKeyHex: root.publicKeyHex }
  t.match(await codeOf(fixture, malformed, stolen, organizationId), /could not verify api key signature/)
  t.match(await codeOf(fixture, malformed, stolen, ""), /could not verify api key signature/, "in no turn")
  const stranger = await new ApiClient(fixture.boundary).createOrganization("Other")
  t.match(await codeOf(fixture, malformed, stranger.root, organizationId), /could not find public key/)
})

t.test("B3: the turn of an organization opens nothing in another one", async (t) => {
  const fixture = await setup(t)
  const other = await new ApiClient(fixture.boundary).createOrganization("Other")
  const { client, acme, address } = fixture
  const request = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  const body = request + " ".repeat(20_000)
  t.match(await codeOf(fixture, body, other.root, other.organizationId), /could not find public key/)
  t.equal(await codeOf(fixture, body, fixture.acme.root, fixture.acme.organizationId), "outcome")
})

t.test("B3: a user's body with tens of thousands of members is refused", async (t) => {
  const fixture = await setup(t)
  const { organizationId, root } = fixture.acme
  t.match(await codeOf(fixture, bodyOf(fixture, 84_000), root, organizationId), /too many members and items/)
})

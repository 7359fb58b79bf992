import type { Test } from "tap"
import { ApiClient, apiKey, readSetupCode, valueOf } from "../../harness/api-client.ts"
import type { Boundary } from "../../harness/boundary.ts"
import { newKey } from "../../harness/stamper.ts"
import { NIL, TYPE } from "./names.ts"

/** Births of organizations. */
export function setupCodes(t: Test, makeBoundary: (t: Test) => Promise<Boundary>): void {
  t.test("a setup code", async (t) => {
    const boundary = await makeBoundary(t)
    const client = new ApiClient(boundary)
    const key = newKey()
    const setupCode = await boundary.createSetupCode(key.publicKeyHex)
    const { organizationId } = readSetupCode(setupCode)
    const parameters = (code = setupCode) => ({
      setupCode: code,
      organizationName: "Acme",
      rootUser: { userName: "root", apiKeys: [apiKey(key)] },
    })
    const type = TYPE("CREATE_ORGANIZATION")

    t.test("is refused in other hands, altered, elsewhere and when it has expired", async (t) => {
      t.equal(await client.refused(newKey(), type, organizationId, parameters()), "SETUP_CODE_OF_ANOTHER_KEY")
      const altered = Buffer.from(setupCode, "base64url")
      altered[altered.length - 1]! ^= 1
      const alteredCode = altered.toString("base64url")
      t.equal(await client.refused(key, type, organizationId, parameters(alteredCode)), "SETUP_CODE_INVALID")
      t.equal(await client.refused(key, type, NIL, parameters()), "SETUP_CODE_INVALID")
      const brief = await boundary.createSetupCode(key.publicKeyHex, 1)
      await boundary.pass(1_000)
      const { organizationId: briefId } = readSetupCode(brief)
      t.equal(await client.refused(key, type, briefId, parameters(brief)), "SETUP_CODE_EXPIRED")
    })

    t.test("creates one organization", async (t) => {
      const born = await client.submit(key, type, organizationId, parameters())
      t.equal(valueOf(born, "createOrganizationResult").organizationId, organizationId)
      t.equal(await client.refused(key, type, organizationId, parameters()), "SETUP_CODE_SPENT")
    })
  })
}

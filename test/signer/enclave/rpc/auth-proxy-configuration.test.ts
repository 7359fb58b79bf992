import { randomBytes } from "node:crypto"
import t from "tap"
import { signerHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { settled } from "../../../contract/refused.ts"
import { authProxyPairing } from "../../../harness/auth-proxy.ts"

t.test(
  "the configuration of an organization that never enabled the auth proxy is refused by name",
  async (t) => {
    const { client, organizationId } = await settled(t, authProxyPairing)
    const ask = (id: string) =>
      signerHandlers.getAuthProxyConfiguration(
        { organizationId: id, nonce: randomBytes(32), documents: [] } as never,
        client.boundary.signer,
      )
    await t.rejects(ask(organizationId), { code: "AUTH_PROXY_CONFIG_UNKNOWN" })
    await t.rejects(ask("00000000-0000-4000-8000-000000000000"), { code: "ORGANIZATION_UNKNOWN" })
  },
)

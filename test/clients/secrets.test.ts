// A published client, unmodified but for the key of the deployment, stores secrets in the running system.
import t from "tap"
import { Recipient, sealSecret, SUITE } from "../harness/secrets.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { httpOf } from "./published.ts"

t.test("published clients import, list, export and delete secrets", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root } = await system.createOrganization()
  const http = httpOf(system, root)
  const pins = await system.send("/public/v1/pins", {})
  const by = { organizationId, signerPublicKey: String(pins.json["signerPublicKey"]).slice(130) }
  const timestampMs = () => String(Date.now())
  const encryptionSuite = SUITE

  const init = await http.initImportSecrets({
    type: "ACTIVITY_TYPE_INIT_IMPORT_SECRETS",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { encryptionSuite, numSecrets: 1 },
  })
  const [target = ""] = init.activity.result.initImportSecretsResult?.enclaveTargetMessages ?? []
  const secret = await sealSecret(
    { plaintext: "péssword", name: "db", properties: { env: "prod" } },
    target,
    by,
  )
  const imported = await http.importSecrets({
    type: "ACTIVITY_TYPE_IMPORT_SECRETS",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { secrets: [{ ...secret, encryptionSuite }] },
  })
  const [secretId = ""] = imported.activity.result.importSecretsResult?.secretIds ?? []
  const { secrets } = await http.listSecrets({ organizationId })
  t.match(secrets, [{ secretId, name: "db", staticProperties: [{ key: "env", value: "prod" }] }])

  const recipient = new Recipient()
  const exported = await http.exportSecrets({
    type: "ACTIVITY_TYPE_EXPORT_SECRETS",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { secrets: [{ ...recipient.asks(secretId), encryptionSuite }] },
  })
  const [payload = ""] = exported.activity.result.exportSecretsResult?.secretPayloads ?? []
  t.equal(await recipient.open(payload, by), "péssword")

  const deleted = await http.deleteSecrets({
    type: "ACTIVITY_TYPE_DELETE_SECRETS",
    timestampMs: timestampMs(),
    organizationId,
    parameters: { secretIds: [secretId] },
  })
  t.same(deleted.activity.result.deleteSecretsResult, { secretIds: [secretId] })
  t.same(await http.listSecrets({ organizationId }), { secrets: [] })
  t.match(await http.getActivePolicies({ organizationId }), { statuses: [], evaluatedAtMs: /^\d{13}$/ })
})

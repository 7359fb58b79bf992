// Results of `countersign doctor` for states of the deployment.
import t from "tap"
import { deploymentState } from "../../../services/cli/commands/doctor-deployment.ts"
import { fakeApi } from "./fake-api.ts"

const PATH = "/public/v1/query/get_deployment_state"

const linkOf = (peer: string, ...certificates: [holder: string, daysLeft: number][]) => ({
  peer,
  transport: "MUTUAL_TLS",
  certificates: certificates.map(([holder, daysLeft]) => ({
    holder,
    subject: `${holder}.internal`,
    daysLeft,
  })),
})

t.test("certificates are shown with their days, and one that must be renewed now is a fault", async (t) => {
  const ask = async (links: object[], more: object = { sealEpoch: 1 }) => {
    const { url } = await fakeApi(t, { [PATH]: { reply: { ...more, links } } })
    return deploymentState({ client: { url }, organizationId: "organization" })
  }
  t.equal(
    await ask([linkOf("SIGNER", ["API", 40], ["SIGNER", 12])]),
    "seal epoch 1; certificates: api to signer (API.internal) 40 days left; signer to api (SIGNER.internal) 12 days left: renew it soon",
  )
  await t.rejects(ask([linkOf("FETCHER", ["API", 3])]), {
    message: /api to fetcher \(API\.internal\) 3 days left: renew it now/,
  })
  t.match(await ask([{ peer: "CALLERS", transport: "PLAIN_HTTP", certificates: [] }]), /no certificate/)
  t.match(await ask([], {}), /seal epoch unknown, the signer does not answer/)
})

t.test("a user of a sub-organization is not at fault", async (t) => {
  const message =
    "request not authorized: 6f0b is a sub-organization; a user of a top-level organization may send it"
  const { url } = await fakeApi(t, { [PATH]: { status: 403, reply: { code: 7, message, details: [] } } })
  t.match(await deploymentState({ client: { url }, organizationId: "6f0b" }), /^not asked/)
})

import { valueOf } from "../harness/api-client.ts"
import { coinbaseCredential, coinbaseKey, moonPayCredential, purchase } from "../harness/on-ramp.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { asRoot } from "./setup.ts"

/** Credentials at on-ramp providers, and purchases. */
export const onRampReplayCases: { [type: string]: (actors: Actors) => Promise<Omit<ReplayCase, "type">> } = {
  CREATE_FIAT_ON_RAMP_CREDENTIAL: async ({ fixture: { fakeFetcher } }) => ({
    first: await moonPayCredential(fakeFetcher),
    second: await coinbaseCredential(fakeFetcher, coinbaseKey("EdDSA").text),
    harm: "a withdrawn key is back",
  }),
  UPDATE_FIAT_ON_RAMP_CREDENTIAL: async (actors) => {
    const [id] = await twoCredentials(actors)
    const next = async (publishableApiKey: string) => {
      const { sandboxMode: _, ...keys } = await moonPayCredential(actors.fixture.fakeFetcher)
      return { fiatOnrampCredentialId: id, ...keys, publishableApiKey }
    }
    const [first, second] = [await next("pk_test_one"), await next("pk_test_two")]
    return { first, second, harm: "a replaced key is back" }
  },
  INIT_FIAT_ON_RAMP: async (actors) => {
    await twoCredentials(actors)
    const second = purchase({ fiatCurrencyAmount: "50" })
    return { first: purchase(), second, harm: "a second purchase for one authorization" }
  },
  DELETE_FIAT_ON_RAMP_CREDENTIAL: async (actors) => {
    const [first, second] = (await twoCredentials(actors)).map((id) => ({ fiatOnrampCredentialId: id }))
    return { first: first!, second: second!, harm: "a credential is deleted twice" }
  },
}

async function twoCredentials({ fixture, acme }: Actors): Promise<string[]> {
  const { submit } = asRoot({ client: fixture.client, acme })
  const { first, second } = await onRampReplayCases["CREATE_FIAT_ON_RAMP_CREDENTIAL"]!({
    fixture,
    acme,
  } as Actors)
  const ids: string[] = []
  for (const parameters of [first, second]) {
    const outcome = await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", parameters)
    ids.push(valueOf(outcome, "createFiatOnRampCredentialResult").fiatOnRampCredentialId)
  }
  return ids
}

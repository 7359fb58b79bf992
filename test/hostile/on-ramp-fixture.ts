import { coinbaseCredential, coinbaseKey, moonPayCredential } from "../harness/on-ramp.ts"
import { FakeProviders } from "../harness/on-ramp-providers.ts"
import { asRoot, setup } from "./setup.ts"

/** An organization with a credential of each provider for its sandbox. */
export async function shop(t: Parameters<typeof setup>[0]) {
  const fixture = await setup(t)
  const { fakeFetcher, boundary } = fixture
  const providers = await FakeProviders.open(t)
  fakeFetcher.providers = providers
  fakeFetcher.obey(boundary)
  const { submit } = asRoot(fixture)
  const { publicKey, text } = coinbaseKey("EdDSA")
  providers.coinbaseKey = publicKey
  await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", await moonPayCredential(fakeFetcher))
  const coinbase = await coinbaseCredential(fakeFetcher, text, { sandboxMode: true })
  await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", coinbase)
  return { fixture, providers }
}

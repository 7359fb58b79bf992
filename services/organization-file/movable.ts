import { onRampName } from "../terminal-client/names/kinds.ts"
import { clientName } from "./file-access.ts"
import type { FileUser, OrganizationFile } from "./file.ts"
import type { LiveOrganization, LiveUser } from "./live.ts"
import type { SecretTexts } from "./secrets.ts"

/** A part that stays behind: its name, and the reason with the next step. */
export type LeftOut = { what: string; why: string }

type Parted = { file: OrganizationFile; leftOut: LeftOut[] }

/**
 * The part of a file that another deployment can take now. Passkeys and OpenID Connect identities are added by their owners, an MFA policy
 * that names one needs it first, and a credential needs its secret.
 *
 * @param live the organization that gets the file
 */
export function movablePart(file: OrganizationFile, live: LiveOrganization, texts: SecretTexts): Parted {
  const users = (file.users ?? []).map((user) => movableUser(user, live))
  const credentials = withSecrets(file, live, texts)
  return {
    file: {
      ...file,
      ...(file.users && { users: users.map(({ user }) => user) }),
      ...credentials.sections,
    },
    leftOut: [...users.flatMap(({ leftOut }) => leftOut), ...credentials.leftOut],
  }
}

function movableUser(user: FileUser, live: LiveOrganization): { user: FileUser; leftOut: LeftOut[] } {
  const there = live.users.find(({ userName }) => userName === user.userName)
  const { authenticators = [], oauthProviders = [], mfaPolicies = [], ...rest } = user
  const own = ownReferences(there)
  const [carried, others] = partition(mfaPolicies, (policy) => foreignReferences(policy, own).length === 0)
  return {
    user: { ...rest, ...(user.mfaPolicies && { mfaPolicies: carried }) },
    leftOut: [
      ...authenticators
        .filter((one) => !there?.authenticators.some(({ credentialId }) => credentialId === one.credentialId))
        .map(({ authenticatorName }) => ({
          what: `passkey ${authenticatorName} of ${user.userName}`,
          why: `it works at its own site: ${user.userName} registers another one here`,
        })),
      ...oauthProviders
        .filter((one) => !there?.oauthProviders.some((other) => other.subject === one.subject))
        .map(({ providerName }) => ({
          what: `OpenID Connect identity ${providerName} of ${user.userName}`,
          why: `its owner proves it: ${user.userName} adds it here with a new token`,
        })),
      ...others.map((policy) => ({
        what: `MFA policy ${policy.mfaPolicyName} of ${user.userName}`,
        why: `it names ${foreignReferences(policy, own).join(", ")}, which ${user.userName} lacks here; until then their other credentials act alone`,
      })),
    ],
  }
}

/** Credentials of a user that MFA policies name, by reference. */
function ownReferences(user: LiveUser | undefined): ReadonlySet<string> {
  return new Set([
    ...(user?.authenticators ?? []).map(({ authenticatorName }) => `@passkey:${authenticatorName}`),
    ...(user?.oauthProviders ?? []).map(({ providerName }) => `@oauth:${providerName}`),
  ])
}

/** Credentials that an MFA policy asks for and the user lacks. */
function foreignReferences(
  { requiredAuthenticationMethods }: NonNullable<FileUser["mfaPolicies"]>[number],
  own: ReadonlySet<string>,
): string[] {
  const ids = requiredAuthenticationMethods.flatMap(({ any }) => any.flatMap(({ id }) => id ?? []))
  return ids.filter((id) => /^@(?:passkey|oauth):/.test(id) && !own.has(id))
}

/** The sections of credentials, with those that were given their secret or are there already. */
function withSecrets(file: OrganizationFile, live: LiveOrganization, texts: SecretTexts) {
  const isGiven = (option: keyof SecretTexts, name: string) =>
    texts[option].some((text) => text.startsWith(`${name}=`))
  const clients = partition(
    file.oauth2Credentials ?? [],
    (one) =>
      isGiven("client-secret", clientName(one)) ||
      live.oauth2Credentials.some((there) => clientName(there) === clientName(one)),
  )
  const onRamps = partition(
    file.fiatOnRampCredentials ?? [],
    (one) =>
      isGiven("on-ramp-secret", onRampName(one)) ||
      live.fiatOnRampCredentials.some((there) => onRampName(there) === onRampName(one)),
  )
  return {
    sections: {
      ...(file.oauth2Credentials && { oauth2Credentials: clients[0] }),
      ...(file.fiatOnRampCredentials && { fiatOnRampCredentials: onRamps[0] }),
    },
    leftOut: [
      ...clients[1].map(clientName).map((name) => ({
        what: `OAuth 2.0 credential ${name}`,
        why: `no service gives its secret out: add --client-secret ${name}=FILE`,
      })),
      ...onRamps[1].map(onRampName).map((name) => ({
        what: `on-ramp credential ${name}`,
        why: `no service gives its secret keys out: add --on-ramp-secret ${name}=FILE`,
      })),
    ],
  }
}

function partition<Item>(items: readonly Item[], fits: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(fits), items.filter((item) => !fits(item))]
}

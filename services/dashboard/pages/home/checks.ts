// Checks of an organization's safety, from its configuration and its last signatures.
import type { JsonMembers } from "../../../../proto/strict-json.ts"
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import type { ListedOrganization } from "../../api/directory.ts"
import type { User } from "../../api/people.ts"
import { count } from "../../words/time.ts"

export type SecurityCheck = { good: boolean; title: string; why: string; href: string; link: string }

/** Sessions and expiring keys are no login method after a loss. */
const isLasting = ({ expirationSeconds }: { expirationSeconds?: string }) => expirationSeconds === undefined

export type Proxy = { enabled: boolean; settings?: { allowedOrigins?: string[] } }

/** @param roots users of the root quorum */
export function checks(
  organization: ListedOrganization,
  roots: readonly User[],
  signatures: readonly WholeActivityJson[],
  proxy: Proxy | undefined,
): SecurityCheck[] {
  return [
    ...quorumChecks(organization, roots),
    ...settingChecks(organization, proxy),
    signingCheck(signatures),
  ]
}

function quorumChecks({ rootQuorum }: ListedOrganization, roots: readonly User[]): SecurityCheck[] {
  const { threshold, userIds } = rootQuorum
  const single = roots.filter(
    ({ authenticators, apiKeys, oauthProviders }) =>
      authenticators.length + apiKeys.filter(isLasting).length + oauthProviders.length < 2,
  )
  return [
    {
      good: threshold > 1,
      title:
        threshold > 1 ? "The root quorum is more than one person" : "One person is the whole root quorum",
      why:
        threshold > 1
          ? `${threshold} of ${userIds.length} have to agree.`
          : "One user can change everything alone, past every policy.",
      href: "/people",
      link: "Change the quorum",
    },
    {
      good: userIds.length > threshold,
      title:
        userIds.length > threshold
          ? "Losing one root user is survivable"
          : "Losing one root user cannot be undone",
      why: `${count(userIds.length, "root user")}, threshold ${threshold}: ${userIds.length > threshold ? `${userIds.length - threshold} may be lost` : "if one is lost, nobody can restore the quorum"}.`,
      href: "/people",
      link: "Add a root user",
    },
    {
      good: single.length === 0,
      title:
        single.length === 0
          ? "Root users have a second login method"
          : "Root users have only one login method",
      why:
        single.length === 0
          ? "Each has at least two credentials."
          : `${single.map(({ userName }) => userName).join(", ")} would be locked out with one lost credential.`,
      href: "/people",
      link: "Add a credential",
    },
  ]
}

function settingChecks(
  { policies, features }: ListedOrganization,
  proxy: Proxy | undefined,
): SecurityCheck[] {
  const origins = proxy?.settings?.allowedOrigins ?? []
  const isOpen = proxy?.enabled === true && (origins.length === 0 || origins.includes("*"))
  const denies = policies.filter(({ effect }) => effect === "EFFECT_DENY").length
  const strict = features.some(({ name }) => name === "FEATURE_NAME_STRICT_DENY")
  return [
    {
      good: !isOpen,
      title: isOpen ? "Login pages of any origin are served" : "Login pages are limited to your origins",
      why: isOpen
        ? "The auth proxy is on and takes requests from pages of any origin."
        : "The auth proxy is off, or its origins are listed.",
      href: "/login",
      link: "List the origins",
    },
    {
      good: denies === 0 || strict,
      title:
        denies === 0 || strict
          ? "DENY policies that cannot be evaluated deny"
          : "DENY policies that cannot be evaluated do not deny",
      why:
        denies === 0
          ? "There is no DENY policy."
          : strict
            ? "FEATURE_NAME_STRICT_DENY is set."
            : "A DENY policy with an error in its condition does not deny. Set FEATURE_NAME_STRICT_DENY.",
      href: "/settings",
      link: "Set the feature",
    },
  ]
}

/** True if the signer signs bytes whose meaning nobody can see; it computes the digest of typed data itself. */
function isBareDigest({ hashFunction, encoding }: JsonMembers): boolean {
  const isPlain = ["PAYLOAD_ENCODING_HEXADECIMAL", "PAYLOAD_ENCODING_TEXT_UTF8"].includes(String(encoding))
  return isPlain && hashFunction === "HASH_FUNCTION_NO_OP"
}

function signingCheck(signatures: readonly WholeActivityJson[]): SecurityCheck {
  const blind = signatures.filter(({ intent }) => isBareDigest(Object.values(intent)[0] ?? {}))
  return {
    good: blind.length === 0,
    title: blind.length === 0 ? "Nobody signs bare digests" : "Bare digests were signed",
    why:
      blind.length === 0
        ? "No recent signature was made blindly."
        : `${count(blind.length, "recent signature")} of a bare digest: no policy and no approver saw what it was.`,
    href: "/activity?type=ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    link: "Show them",
  }
}

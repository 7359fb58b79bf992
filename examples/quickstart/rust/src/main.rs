//! Signs a message with the published client for Rust, and prints r, s and v of the signature.
use std::{env, error::Error};
use turnkey_client::generated::immutable::common::v1::{HashFunction, PayloadEncoding};
use turnkey_client::generated::SignRawPayloadIntentV2;
use turnkey_client::{TurnkeyClient, TurnkeyP256ApiKey};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let api_key = TurnkeyP256ApiKey::from_strings(env::var("API_PRIVATE_KEY")?, None)?;
    let client = TurnkeyClient::builder().api_key(api_key).base_url(env::var("BASE_URL")?).build()?;
    let intent = SignRawPayloadIntentV2 {
        sign_with: env::var("SIGN_WITH")?,
        payload: "pay the supplier".into(),
        encoding: PayloadEncoding::TextUtf8,
        hash_function: HashFunction::Keccak256,
    };
    let organization_id = env::var("ORGANIZATION_ID")?;
    let reply = client.sign_raw_payload(organization_id, client.current_timestamp(), intent).await?;
    println!("{} {} {}", reply.result.r, reply.result.s, reply.result.v);
    Ok(())
}

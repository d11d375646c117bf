//! Secrets that are known by how they look.

/// Which bytes a secret goes on with after its prefix.
#[derive(Clone, Copy)]
enum Tail {
    Upper,
    Alphanumeric,
    /// Letters, digits, `_` and `-`.
    Word,
    /// The same and `.`.
    Dotted,
}

impl Tail {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'='),
        }
    }
}

struct Shape {
    prefix: &'static str,
    tail: Tail,
    /// How many bytes the tail has at least.
    least: usize,
    /// A tail of exactly that length needs no digit.
    is_fixed: bool,
}

const fn shape(prefix: &'static str, tail: Tail, least: usize) -> Shape {
    assert!(prefix.len() > 1, "the second letter is compared first");
    Shape { prefix, tail, least, is_fixed: false }
}

/// An id of Amazon: one in 28 of these has no digit.
const fn amazon(prefix: &'static str) -> Shape {
    Shape { prefix, tail: Tail::Upper, least: 16, is_fixed: true }
}

/// Secrets by the byte they begin with, so that most words need no closer look.
const fn shapes(first: u8) -> &'static [Shape] {
    match first {
        // Amazon: access key ids of users, roles and sessions. Google. age.
        b'A' => {
            const {
                &[
                    amazon("AKIA"),
                    amazon("ASIA"),
                    amazon("AROA"),
                    amazon("AIDA"),
                    amazon("ABIA"),
                    amazon("ACCA"),
                    shape("AIza", Tail::Word, 30),
                    shape("AGE-SECRET-KEY-1", Tail::Upper, 50),
                ]
            }
        }
        // Google
        b'y' => const { &[shape("ya29.", Tail::Word, 20)] },
        b'G' => const { &[shape("GOCSPX-", Tail::Word, 20)] },
        // GitHub, GitLab
        b'g' => {
            const {
                &[
                    shape("ghp_", Tail::Alphanumeric, 30),
                    shape("gho_", Tail::Alphanumeric, 30),
                    shape("ghu_", Tail::Alphanumeric, 30),
                    shape("ghs_", Tail::Alphanumeric, 30),
                    shape("ghr_", Tail::Alphanumeric, 30),
                    shape("github_pat_", Tail::Word, 22),
                    shape("glpat-", Tail::Word, 20),
                ]
            }
        }
        // Anthropic, OpenAI and others that follow them. Stripe.
        b's' => {
            const {
                &[
                    shape("sk-", Tail::Word, 20),
                    shape("sk_live_", Tail::Alphanumeric, 16),
                    shape("sk_test_", Tail::Alphanumeric, 16),
                ]
            }
        }
        b'r' => const { &[shape("rk_live_", Tail::Alphanumeric, 16), shape("rk_test_", Tail::Alphanumeric, 16)] },
        b'w' => const { &[shape("whsec_", Tail::Alphanumeric, 16)] },
        // Slack
        b'x' => {
            const {
                &[
                    shape("xoxa-", Tail::Word, 10),
                    shape("xoxb-", Tail::Word, 10),
                    shape("xoxp-", Tail::Word, 10),
                    shape("xoxr-", Tail::Word, 10),
                    shape("xoxs-", Tail::Word, 10),
                    shape("xapp-", Tail::Word, 10),
                ]
            }
        }
        // Package registries and platforms
        b'n' => const { &[shape("npm_", Tail::Alphanumeric, 30)] },
        b'p' => const { &[shape("pypi-", Tail::Word, 50)] },
        // and addresses that whoever knows them may write to.
        b'h' => {
            const {
                &[
                    shape("hf_", Tail::Alphanumeric, 30),
                    shape("hvs.", Tail::Word, 20),
                    shape("hooks.slack.com/services/", Tail::Dotted, 20),
                ]
            }
        }
        b'd' => {
            const {
                &[
                    shape("dckr_pat_", Tail::Word, 20),
                    shape("dop_v1_", Tail::Alphanumeric, 30),
                    shape("discord.com/api/webhooks/", Tail::Dotted, 20),
                ]
            }
        }
        b'B' => const { &[shape("Bearer ", Tail::Dotted, 16)] },
        b'b' => const { &[shape("bearer ", Tail::Dotted, 16)] },
        _ => &[],
    }
}

/// Where a secret ends that begins with `bytes`, a text's rest from the beginning of a word on.
pub(super) fn secret_length(bytes: &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    if first == b'e' {
        return web_token(bytes);
    }
    let second = bytes.get(1);
    // Most words differ in their second letter, which is compared without a call.
    shapes(first).iter().filter(|shape| shape.prefix.as_bytes().get(1) == second).find_map(|shape| {
        let tail = bytes.strip_prefix(shape.prefix.as_bytes())?;
        let length = run(tail, shape.tail);
        let kept = tail.get(..length)?;
        // Words of a sentence or a file name have no digits; made-up secrets have.
        let random = kept.iter().any(u8::is_ascii_digit) || (shape.is_fixed && length == shape.least);
        (length >= shape.least && random).then_some(shape.prefix.len() + length)
    })
}

/// A JSON web token: three parts in base64, the first of which begins with `{"`.
fn web_token(bytes: &[u8]) -> Option<usize> {
    let tail = bytes.strip_prefix(b"eyJ")?;
    let header = run(tail, Tail::Word);
    let claims = run(tail.get(header..)?.strip_prefix(b".")?, Tail::Word);
    let signature = tail.get(header + 1 + claims..)?.strip_prefix(b".").map(|rest| run(rest, Tail::Word) + 1);
    (header >= 8 && claims >= 8).then(|| 3 + header + 1 + claims + signature.unwrap_or_default())
}

/// Where a block with a private key ends that begins with `text`; one whose end is missing goes on to the end.
pub(super) fn private_key_length(text: &str) -> Option<usize> {
    const DASHES: &str = "-----";
    let title = text.strip_prefix("-----BEGIN ")?;
    let (title, _) = title.split_once(DASHES)?;
    if title.len() > 64 || !title.contains("PRIVATE KEY") {
        return None;
    }
    let end = text.find("-----END ").and_then(|end| {
        let behind = end + "-----END ".len();
        text.get(behind..)?.find(DASHES).map(|dashes| behind + dashes + DASHES.len())
    });
    Some(end.unwrap_or(text.len()))
}

fn run(bytes: &[u8], tail: Tail) -> usize {
    bytes.iter().position(|byte| !tail.has(*byte)).unwrap_or(bytes.len())
}

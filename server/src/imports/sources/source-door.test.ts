import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { isPublicAddress } from './public-address.ts'
import { openSourceDoor, requireAllowedAddress } from './source-door.ts'
import { transferLimits } from './transfer-limits.ts'

/** Ways to write an address inside: as numbers, in other alphabets, as IPv6 that carries IPv4, by name. */
const insideHosts = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '%31%32%37.0.0.1', '①②⑦.⓪.⓪.①'],
  ...['169.254.169.254', '169。254。169。254', '169.254.169.254.', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376'],
  ...['0', '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.1', '100.64.0.1', '100.127.255.255', '172.16.0.1', '172.31.255.255'],
  ...['192.168.0.1', '192.168.1', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.7'],
  ...['203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]'],
  ...['[::127.0.0.1]', '[::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[2001::1]'],
  ...['[fd00:ec2::254]', '[fc00::1]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[100::1]', '[2001:db8::1]', '[3fff::1]'],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
    'ｌｏｃａｌｈｏｓｔ',
  ],
]
const spell = (host: string): string[] => [
  `https://${host}/x.h5`,
  `https://${host}:443/x.h5`,
  `https:${host}`,
  `https:/\\${host}/x`,
]
const inside = insideHosts.flatMap(spell)

const otherwise = [
  'http://example.com/x.h5',
  'https://example.com:22/',
  'https://example.com:5432/',
  'https://example.com:6379/x',
  'https://user@example.com/x.h5',
  'https://user:secret@example.com/x.h5',
  'https://huggingface.co:443@127.0.0.1/',
  'https://1.1.1.1 &@169.254.169.254#',
  'file:///etc/passwd',
  'ftp://example.com/x',
  'gopher://127.0.0.1:6379/_x',
  'data:text/plain,x',
  'dict://127.0.0.1:11211/',
  'javascript:alert(1)',
  'example.com/x.h5',
  '',
]

test('addresses inside are refused in every spelling, before anything is sent', () => {
  const let_in = [...inside, ...otherwise].filter((address) => {
    try {
      requireAllowedAddress(address, [])
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'source_not_allowed' })
      return false
    }
  })
  expect(inside.length + otherwise.length).toBeGreaterThan(200)
  expect(let_in).toEqual([])
})

test('addresses of the open internet are let through, and what the operator lists', () => {
  for (const address of [
    'https://example.com/x.h5',
    'https://1.1.1.1/x',
    'https://[2606:4700::1111]/x',
    'https://huggingface.co.evil.example/',
  ])
    expect(requireAllowedAddress(address, []).href).toContain('https://')
  const allow = ['127.0.0.1:9000', 'mirror.lan:80', '[::1]:9000']
  for (const address of [
    'http://127.0.0.1:9000/x',
    'http://mirror.lan/x',
    'https://[::1]:9000/',
    'http://mirror.lan./x',
  ])
    expect(requireAllowedAddress(address, allow).href).toContain('http')
  for (const address of [
    'http://127.0.0.1:9001/x',
    'https://127.0.0.1/',
    'https://mirror.lan:81/',
    'https://user@127.0.0.1:9000/',
  ])
    expect(() => requireAllowedAddress(address, allow), address).toThrow()
})

test('the sentence says what would help and keeps secrets', () => {
  expect(() => requireAllowedAddress('http://files.lan/x?signature=secret', [])).toThrow(
    'files.lan:80 would be fetched over plain http. Use https. An operator can allow files.lan:80 in NMP_SOURCE_ALLOW.',
  )
})

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.0.1',
  '192.167.1.1',
  '2606:4700::1111',
  '2a00::1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

/** Names of /etc/hosts for this machine that do not say so themselves, as `localhost` does. */
const namesInside = [hostname(), 'ip6-localhost', 'ip6-loopback', 'localhost.localdomain', 'broadcasthost']

async function findNameInside(): Promise<string> {
  for (const name of namesInside) {
    const found = await lookup(name, { all: true }).catch(() => [])
    if (found.some(({ address }) => !isPublicAddress(address))) return name
  }
  throw new Error(`None of ${namesInside.join(', ')} leads to this machine: put one into /etc/hosts.`)
}

test('a name that leads inside is refused when it is connected to, since only then it is known', async () => {
  const door = openSourceDoor([], { ...transferLimits, connectMs: 2000 })
  const address = new URL(`https://${await findNameInside()}/x.h5`)
  const getting = door.get(address, { headers: {}, signal: new AbortController().signal })
  await expect(getting).rejects.toMatchObject({
    code: 'source_not_allowed',
    message: expect.stringContaining('inside a private network'),
  })
})

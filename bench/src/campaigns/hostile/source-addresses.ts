import { hostname } from 'node:os'
import { judgeAddress } from './source-door.ts'
import { judgeRebinding } from './source-rebinding.ts'
import { type Family, judgeSeveral } from './verdict.ts'

/** Ways to write a place inside. */
const hosts = [
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001'],
  ...['127.0.0.1.', '%31%32%37.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '127.0.0.1%2f', '0', '0.0.0.0', '00'],
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '0xa9fea9fe', '2852039166'],
  ...['0251.0376.0251.0376', '0xa9.254.0251.254', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...['[::ffff:169.254.169.254]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a9fe:a9fe]', '[2002:7f00:1::]', '[2001::1]'],
  ...['[fd00:ec2::254]', '[fe80::1]', '[fe80::1%25lo]', '[fec0::1]', '[ff02::1]', '[2001:db8::1]', '[100::1]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ｌｏｃａｌｈｏｓｔ', 'metadata.google.internal'],
  ...['printer.local', hostname(), 'ip6-localhost', 'localhost.localdomain'],
]

const whole = [
  'http://example.com/x.h5',
  'https://example.com:22/x.h5',
  'https://example.com:5432/x.h5',
  'https://example.com:8080/x.h5',
  'https://user@example.com/x.h5',
  'https://user:secret@example.com/x.h5',
  'https://example.com@127.0.0.1/x.h5',
  'https://example.com:443@127.0.0.1/x.h5',
  'https://127.0.0.1#@example.com/x.h5',
  'https://127.0.0.1?@example.com/x.h5',
  'https://127.0.0.1\\@example.com/x.h5',
  'https:/\\127.0.0.1/x.h5',
  'https:127.0.0.1/x.h5',
  'https://[::1',
  'https://exa\tmple.com@127.0.0.1/',
  'https:// 127.0.0.1/',
  'file:///etc/passwd',
  'file://localhost/etc/passwd',
  'ftp://example.com/x.h5',
  'gopher://127.0.0.1:6379/_INFO',
  'dict://127.0.0.1:11211/stats',
  'data:application/x-hdf5;base64,AAAA',
  'jar:https://example.com!/x',
  'javascript:alert(1)',
  '//127.0.0.1/x.h5',
  'x.h5',
  ' ',
]

/** Where a source that is allowed sends on to; PORT is of a service inside. */
const redirects: [status: number, location: string][] = [
  [302, 'http://127.0.0.1:PORT/x.h5'],
  [301, 'http://localhost:PORT/x.h5'],
  [303, 'http://127.1:PORT/x.h5'],
  [307, 'http://[::ffff:127.0.0.1]:PORT/x.h5'],
  [308, 'http://0x7f000001:PORT/x.h5'],
  [302, '//127.0.0.1:PORT/x.h5'],
  [302, 'http://a@127.0.0.1:PORT/x.h5'],
  [302, 'https://127.0.0.1/x.h5'],
  [302, 'https://169.254.169.254/latest/meta-data'],
  [302, 'file:///etc/passwd'],
  [302, 'gopher://127.0.0.1:PORT/_x'],
  [302, 'http://example.com/x.h5'],
  [302, `http://${hostname()}:PORT/x.h5`],
  [302, 'SELF'],
  [302, 'http://127.0.0.1:PORT/x.h5\r\nx: y'],
]

export const sourceAddresses: Family = {
  name: 'addresses',
  title: 'addresses for requests from the server',
  bar: 'refused with a code; nothing inside is connected to',
  run: async function* (ground) {
    const { source } = ground
    const literal = hosts.map((host) => `https://${host}/x.h5`)
    const withPort = hosts.slice(0, 8).map((host) => `http://${host}:${source.inside.port}/x.h5`)
    yield* judgeSeveral([...literal, ...withPort, ...whole], 8, (address) => judgeAddress(ground, address, address))
    yield* judgeSeveral(redirects.entries(), 4, ([index, [status, location]]) => {
      const path = `/redirect-${index}.h5`
      const own = `http://${source.hostPort}${path}`
      const to = location.replace('PORT', String(source.inside.port)).replace('SELF', own)
      source.redirects.set(path, { status, location: to })
      return judgeAddress(ground, own, `a redirect (${status}) to ${location}`)
    })
    const { connections } = source.inside
    yield { name: 'connections to a service inside', held: connections === 0, words: String(connections) }
    yield* judgeRebinding(ground)
  },
}

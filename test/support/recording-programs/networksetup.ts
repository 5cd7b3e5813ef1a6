/** macOS's `networksetup` as a shell script over files `SERVICE.KIND`, one for each answer that the real one prints. */
export const NETWORKSETUP = `
f="state/$2.\${1#-?et}"
case "$1" in
  -listallnetworkservices)
    printf 'An asterisk (*) denotes that a network service is disabled.\\nWi-Fi\\nUSB LAN\\n*Old modem\\n' ;;
  -get*) cat "$f" ;;
  *)
    change
    case "$1" in
      -set*state)
        f="\${f%state}"
        [ "$f" = "\${f%autoproxy}" ] || f="\${f}url"
        value=No; [ "$3" = on ] && value=Yes
        sed "s/^Enabled: .*/Enabled: $value/" "$f" > new && cat new > "$f" ;;
      -setautoproxyurl) printf 'URL: %s\\nEnabled: Yes\\n' "$3" > "$f" ;;
      -setproxyautodiscovery)
        value=Off; [ "$3" = on ] && value=On
        printf 'Auto Proxy Discovery: %s\\n' "$value" > "$f" ;;
      -setproxybypassdomains)
        shift 2
        if [ "$1" = Empty ]; then printf "There aren't any bypass domains set on this network service.\\n" > "$f"
        else printf '%s\\n' "$@" > "$f"; fi ;;
      *) printf 'Enabled: Yes\\nServer: %s\\nPort: %s\\nAuthenticated Proxy Enabled: 0\\n' "$3" "\${4:-0}" > "$f" ;;
    esac ;;
esac`;

const NO_PROXY = 'Enabled: No\nServer: \nPort: 0\nAuthenticated Proxy Enabled: 0\n';

/** What the tool answers on a Mac with a company's proxy on one service and a script on the other. */
export const NETWORKSETUP_STATE: Readonly<Record<string, string>> = {
  'Wi-Fi.webproxy': 'Enabled: Yes\nServer: proxy.corp.example\nPort: 3128\nAuthenticated Proxy Enabled: 0\n',
  'Wi-Fi.securewebproxy': 'Enabled: No\nServer: old.corp.example\nPort: 3129\nAuthenticated Proxy Enabled: 0\n',
  'Wi-Fi.socksfirewallproxy': NO_PROXY,
  'Wi-Fi.autoproxyurl': 'URL: (null)\nEnabled: No\n',
  'Wi-Fi.proxyautodiscovery': 'Auto Proxy Discovery: On\n',
  'Wi-Fi.proxybypassdomains': '*.local\n169.254/16\n',
  'USB LAN.webproxy': NO_PROXY,
  'USB LAN.securewebproxy': NO_PROXY,
  'USB LAN.socksfirewallproxy': NO_PROXY,
  'USB LAN.autoproxyurl': 'URL: http://wpad.corp.example/proxy.pac\nEnabled: Yes\n',
  'USB LAN.proxyautodiscovery': 'Auto Proxy Discovery: Off\n',
  'USB LAN.proxybypassdomains': "There aren't any bypass domains set on this network service.\n",
};

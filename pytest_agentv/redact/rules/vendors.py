"""Those who give out keys without a form of their own: a key under such a name is no other key.

Small letters and digits only, no ordinary words: ``geoapify_key`` is a secret, ``column_key`` is not.
"""

from __future__ import annotations

_NAMES = """
abbysale abuseipdb accuweather activecampaign adafruit adyen adzuna aerisweather aeroworkflow aftership ai21 airbrake
airbyte airtable airvisual aiven akamai alchemyapi alconost alegra aletheia algolia alibaba alienvault alphavantage
amadeus ambee amplitude anthropic anypoint anyscale apacta apideck apiflash apify apilayer apimatic apitemplate apollo
appcenter appcues appdynamics appfollow appointedd appsflyer apptivo appveyor arcgis argocd artsy asana assemblyai
atera atlassian auddio auth0 autodesk autoklose avalara avaza aviationstack axonaut aylien ayrshare backblaze
bannerbear baremetrics baseten basistheory beebole besttime billomat binance bitbar bitbucket bitcoinaverage bitfinex
bitgo bitly bitmex bitrise bitstamp blazemeter blockcypher blockfrost blockonomics borgbase braintree brandfetch braze
brevo brightdata browserbase browserless browserstack browshot bscscan bugherd bugsnag buildkite bulksms buttercms
bybit calcom calendarific calendly capsolver capsulecrm captaindata carboninterface cartesia cartodb caspio censys
cerebras cexio chargebee chartmogul checkly circleci clarifai clearbit cleverbot clickhelp clicksend clickup cliengo
clockify closecrm cloudant cloudconvert cloudflare cloudinary cloudmersive cloudsight cloudsmith cloudways cloverly
codacy codeclimate codecov codemagic codequiry cohere coinapi coinbase coingecko coinlayer coinlib coinmarketcap
cometchat cometml commercejs confluent contentful contentstack convertapi convertkit copyscape courierauth coveralls
craftmypdf crowdin cryptocompare currencycloud currencyfreaks currencylayer currencyscoop currentsapi customerio
d7network dadata dailyco databox databricks datadog dataforseo datagov deepai deepgram deepinfra deeplapi deepseek
delighted denodeploy detectify detectlanguage dfuse diffbot digicert digitalocean discogs disqus dnsimple docparser
docusign dotmailer dovico droneci dropbox dwolla dynadot dynalist dynatrace dyspatch eagleeye easypost ebay edamam
edenai edusign elasticemail elevenlabs emailoctopus enablex equinix etherscan ethplorer eventbrite everhour eversign
exchangerate exoscale facebook faceplusplus fastforex fastly fastspring faunadb feedly fetchrss fibery figma filestack
finage financialmodelingprep finicity finnhub firebase firecrawl fireworks fixerio flagsmith fleetbase flickr
flightapi flightaware flightlabs flightstats flowdock flutterwave flyio formbucket formcraft formio formsite formstack
foursquare frameio freshbooks freshdesk freshservice fullcontact fullstory fusebill fxmarket gcore geckoboard gemfury
gemini gemstash gengo geoapify geocode geocodify geocodio geoipify getgist getresponse giphy gitea gitguardian github
gitlab gitter glassnode gocanvas gocardless godaddy goodreads goshippo gosquared grafana graphcms graphhopper groovehq
groq guardianapi gumroad gyazo happyscribe hcaptcha helicone helpcrunch helpscout hereapi heroku hetzner hiveage
holidayapi honeybadger honeycomb hotjar html2pdf hubspot huggingface humanloop hunterio hypeauditor hyperbolic
hypertrack iconfinder ideogram iexapis iexcloud imagekit imagga imgbb imgix imgur inflection influxdb infobip infura
insightly instabot instatus intercom interseller intrinio invoiceocean ip2location ipapi ipdata ipgeolocation ipify
ipinfo ipqualityscore ipregistry ipstack iterable jamf jdoodle jfrog jinaai jotform jsonbin jumpcloud jumpseller
juspay kaleyra kaltura karmacrm keenio keygen kickbox kiteconnect klaviyo klipfolio knapsackpro kontent kraken kucoin
kylas lambdalabs lambdatest langfuse langsmith lastfm launchdarkly leadfeeder leanix lemlist lemonsqueezy lendflow
leonardoai lexigram linkedin linkpreview linode liveagent livekit livestorm loadmill locationiq logdna loggly
loginradius logrocket logtail logz lokalise loyverse lunchmoney mailboxlayer mailchimp mailerlite maileroo mailersend
mailgun mailinator mailjet mailmodo mailsac mailtrap mandrill mapbox mapquest maptiler marketstack mattermost
mavenlink maxmind meaningcloud mediastack meilisearch meistertask meraki mesibo messagebird messari metaapi metabase
metrilo midjourney mindmeister minimax mintlify mistral miteapi mixcloud mixmax mixpanel mockaroo moderationapi mollie
moneywave monkeylearn moonclerk moonshot moosend moralis morphllm mrticktock mtnmomo nanonets nasaapi nasdaqdatalink
nethunt netlify neutrino newrelic newsapi newscatcher nexmo nftport ngrok nicehash nicereply nightfall nitropack
nordigen northflank novita novu nozbe nubela numverify nutritionix nutshell nvidia nylas oanda ocrspace okta omnisend
onedesk onelogin onepagecrm onesignal onfido onwater oopspam openai opencage opendatasoft opengraphr openrouter openuv
openweather opsgenie optidash optimizely orbitapi owlbot oxylabs packagecloud pagerduty pandadoc pandascore pangea
paperform papertrail papyrs paralleldots parsehub parseur partnerstack passbase pastebin paydirt paymo paymongo paypal
paystack pdflayer pdfmonkey pdfshift peopledatalabs pepipost percy perplexity pexels phantombuster pinata pinecone
pingdom pipedream pipedrive pivotaltracker pixabay plaid plaidclient planetscale planyo plausible plivo podio
pollinations poloniex polygonio positionstack postageapp posthog postman postmark powrbot predicthq prefect printful
printify prodpad prospectcrm proxycrawl pubnub pulumi purestake pushbullet pusher pushover qase qdrant qiniu qualaroo
quandl qubole quickbase quickmetrics quicknode rapidapi ravenapi rawg razorpay reachmail rebrandly recaptcha
rechargepayments recurly redbooth redislabs redpanda refersion rekaai remini renderapi rentman repairshopr replicate
restpack retellai retool revai revenuecat ringcentral riotgames ritekit roboflow rocketreach rockset rollbar route4me
rownd runpod runwayml salesblink salesflare salesforce salesmate sambanova samsara satismeter saucelabs scaleai
scaleway scalingo scrapeowl scraperapi scraperbox scrapestack scrapfly scrapingant scrapingbee scrapingdog
screenshotapi screenshotlayer scrutinizer searchapi securitytrails selectpdf semantria sendbird sendgrid sendinblue
sendoso sendpulse sentry serpapi serper serphouse serpstack serverdensity sherpadesk shipday shippo shodan shopify
shotstack shutterstock sightengine signable signalwire signaturit signupgenius sigopt siliconflow simfin simplesat
simplybook simvoly sinch sirv siteleaf skrapp skybiometry skyscanner smartsheet smartystreets smooch smsapi snipcart
snyk solarwinds sonarcloud sonarqube sourcegraph sparkpost spectrocloud speechmatics splunk spoonacular sportradar
sportsmonk spotify sqreen squarespace squareup stabilityai statuscake statuspage statuspal steamapi steampipe
stitchdata stockdata storecove stormboard stormglass storyblok storychief strava streamchat stripe stytch sugester
sumologic supabase supadata supportbee surveybot surveymonkey surveysparrow survicate swiftype synthesia tallyfy tatum
tavily taxjar teamcity teamgate teamviewer telegram telesign teletype telnyx tencent terraform testingbot textmagic
theoddsapi thinkific thousandeyes ticketmaster tickettailor tiingo timecamp timekit timezoneapi tinify tinybird
tinypng tmdb tmetric todoist togetherai togetherapi toggltrack tolgee tomorrowio tomtom tradier transferwise
travelpayouts travisci trello truecaller turbot twelvedata twelvelabs twilio twitch twitter tyntec typeform typesense
typetalk ubidots unplugg unsplash upcdatabase uplead uploadcare uploadthing upstash uptimerobot upwave urlscan
userflow userstack vapiai vatlayer vbout vercel verifalia verimail veriphone versioneye viewneo virustotal
visualcrossing voiceflow voicegain volcengine vonage voodoosms vouchery voyageai vpnapi vultr wakatime walkscore wandb
weatherapi weatherbit weatherstack weaviate webengage webex webflow webscraper webscraping wechat wepay whoxy wistia
woocommerce woopra wordnik wordsapi workato workos worldcoin worldweather wpengine wrike writerapi writesonic xata
xendit yandex ynab youneedabudget yousign youtube zapier zendesk zenkit zenrows zenscrape zenserp zeplin zerobounce
zerossl zilliz zipbooks zipcodebase zonka zoominfo zulip zuplo
"""

VENDORS: tuple[str, ...] = tuple(_NAMES.split())

/**
 * Words that tell the languages written in Latin letters: small words, and those of prices, opening hours, recipes, travel and
 * messages.
 */

const lists: Readonly<Record<string, string>> = {
  'da nb sv': `
    det en den på de med han som du vi har var kan men om eller dag kl sin år hos både bor onsdag torsdag fredag juni
    juli oktober kaffe ost dagens liter ingredienser del figur gratis faktura linje hus temperatur grader regn vind
    klar ringer sekunder stor halv idag igår gram din ses parkering pris nummer tid svar telefon`,
  'da nb': `
    og er et til for ikke der hun jeg fra vil skal også her måned måneden minutter prisen deres være koster hvor når
    mange dette denne siden betaler verdenskrig døde klasse ankommer timer alle hele første mandag tirsdag lørdag
    søndag januar februar august brød smør øl suppe salat frokost flaske stk tilbud betal kun salg levering voksne
    retning bygning dør bredde alder bestilling nye varer stjerner anmeldelser venter ventet time store imorgen rør
    bland ovnen mel sukker kroner dine størrelse spillere kamp flyet forsinket sko solgt mangler side dato vogn ankomst
    øvelse ordrenummer adresse`,
  da: `
    af efter hvad nu mødet begynder katte hunde sig blev bliver uge meget ud op ind fik sal etage gang stiger kom plads
    pladsen division sluttede kong kører lejlighed lejligheden koger bage tilsæt dage ugen igen åbent åbningstider
    lukket helligdage dagligt marts maj december mælk vand menukort ret morgenmad aftensmad spiseskefuld spsk tsk
    knivspids trin afsnit tilbagekomst indhold indledning bilag tabel rabat køb ialt nat nætter dobbeltværelse
    enkeltværelse børn billet afgang perron station lufthavn lufthavnen stoppested bus udgang værelse lokale gade vejr
    vægt højde længde antal afstand hastighed besked beskeder kurv cirka hej farvel lille æg dit søges mindst højst
    vores priser kapitel lektion beløb niveau varighed spørgsmål`,
  nb: `
    av etter hva nå møtet begynner katter hunder seg ble blir uke mye ut opp inn fikk ei noe bare hver desember gå går
    etasje plass sluttet begynte spor leilighet leiligheten dager uken igjen gikk tilsett stek åpent åpningstider
    stengt helligdager daglig mars mai melk vann meny rett lunsj middag spiseskje spiseskjeer ss ts klype trinn steg
    avsnitt tilbakekomst innhold innledning vedlegg tabell rabatt kjøp totalt natt netter dobbeltrom enkeltrom barn
    billett avgang perrong stasjon flyplass flyplassen holdeplass buss utgang rom gate vær vekt høyde lengde antall
    avstand hastighet melding meldinger handlekurv omtrent hei liten egg ditt ønskes minst høyst vår kapittel beløp
    varighet leksjon spørsmål nivå`,
  sv: `
    och är ett till för inte där hon jag från av vill ska efter också vad här nu månad månaden mötet börjar tåget
    minuter katter hundar sig deras blev vara blir vecka kostar priset hur när mycket många detta denna ut upp in sedan
    fick något bara varje gick går att tåg spår kommer fram lägenhet lägenheten våning betalar plats världskriget
    slutade klass dagar timmar veckan igen alla hela första tillsätt grädda dog gången öppet öppettider stängt stängd
    måndag tisdag lördag söndag söndagar helgdagar dagligen januari februari mars maj augusti december te bröd smör
    mjölk vatten öl vin soppa sallad meny rätt frukost lunch middag kväll flaska bit styck matsked matskedar tesked
    teskedar nypa steg avsnitt återkomst innehåll inledning bilaga tabell erbjudande rabatt köp betala endast totalt
    summa försäljning frakt leverans natt nätter dubbelrum enkelrum vuxna barn inträde bokning avgång avgår ankomst
    perrong station flygplats flygplatsen hållplats buss riktning utgång rum sal byggnad gata torg dörr väder vikt höjd
    längd bredd ålder antal avstånd hastighet beställning meddelande meddelanden nya nytt klart redo varor artiklar
    varukorg stjärnor recensioner väntat väntar timme senaste kvar ungefär hej hejdå stora liten imorgon rör blanda
    ugnen mjöl socker ägg kronor kr ditt dina mitt köpa hämta bulle storlek spelare match matchen flyget försenat
    försenad skor såld sökes minst högst vår saknar kapitel lektion nivå sidan sida adress belopp vagn övning fråga rad
    ordernummer datum`,
  nl: `
    de het een en van is in op te dat die niet met voor zijn aan er ook als bij naar om maar wel uit dan nog door over
    tot of wat worden wordt heeft had hebben hij zij ze wij je ik u mijn deze dit geen kost per maand uur begint jaar
    dag hoe waar meer veel alle was haar hun ons trein spoor komt appartement woont won voeg toe bak neem daags tablet
    tabletten vergadering verdieping zout eieren eeuw woonden sloot verloor prijs steeg punten kamer dagen uren weken
    eerste jullie bent hebt graag dank bedankt goed nieuwe dhr mevr straat minuut open geopend gesloten openingstijden
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag feestdagen dagelijks januari februari maart mei juni
    juli augustus oktober december koffie thee brood kaas boter melk water bier wijn soep salade dagmenu menukaart
    gerecht ontbijt lunch diner fles stuk stuks liter eetlepel eetlepels theelepel snufje ingrediënten stap deel sectie
    hoofdstuk terugkeer inhoud inleiding bijlage tabel figuur aanbieding korting gratis halen betalen alleen totaal som
    factuur kopen verkoop verzending nacht nachten tweepersoonskamer eenpersoonskamer volwassenen kinderen toegang
    entree afspraak duur vertrek vertrekt aankomst perron station vliegveld luchthaven halte bus lijn richting uitgang
    zaal lokaal gebouw huis plein deur temperatuur graden weer regen wind gewicht hoogte lengte breedte leeftijd aantal
    afstand snelheid bestelling bericht berichten klaar artikelen artikel winkelwagen sterren beoordelingen zien elkaar
    wacht wachten bel bellen kom minuten seconden jaren laatste resteren ongeveer hoi doei groot grote kleine halve
    vanaf vandaag morgen gisteren toevoegen mengen roeren voorverwarmen gram bloem suiker ei vijf parkeren maat spelers
    speler wedstrijd vlucht vertraagd vertraging schoenen verkocht gezocht minimaal maximaal ieder onze missen katten
    honden hond kat ziens aflevering niveau voltooid resultaten gevonden opgericht batterij stand score levertijd
    werkdagen recept personen bron foto kaart inwoners oppervlakte toeschouwers deelnemers stoel doelpunt ronde plaats
    seizoen vraag antwoord oefening les reacties weergaven abonnees bestanden bestand nummer editie fouten stemmen
    geannuleerd level datum pagina bladzijde telefoon tijd bedrag week regel bestelnummer adres`,
  de: `
    der die das und ist in zu den mit von für auf nicht sich des ein eine einen einem einer auch es an als wie bei wird
    sind aus nach am im um uhr hat haben war er sie wir ich du ihr noch nur so über vor zum zur oder aber dass man kann
    werden wurde durch pro bis beträgt kostet jahr jahre monat euro etwa rund unter mehr sehr kein keine kapitel seite
    minuten stunden dem gilt seit abs kommt gewann tor nehmen tablette täglich wohnung zimmer kalt warm bitte mehl
    zucker backen schloss punkten lebten regierte gesetz besprechung angebot vom heute morgen gestern woche tage danke
    gut neue ersten wieder schon immer hier dort wo wann warum öffnungszeiten geöffnet geschlossen montag dienstag
    mittwoch donnerstag freitag samstag sonntag sonntags werktags feiertags januar februar märz mai juni juli oktober
    dezember kaffee tee brot käse wurst milch butter wasser bier wein suppe salat tagesmenü speisekarte frühstück
    mittagessen abendessen gericht portion flasche stück kilo liter esslöffel teelöffel prise zutaten schritt teil
    abschnitt band rückkehr inhalt einleitung anhang tabelle abbildung aktion rabatt kostenlos preis gesamt summe
    rechnung zahlen kaufen verkauf versand lieferung nacht nächte doppelzimmer einzelzimmer gäste eintritt kinder
    erwachsene ermäßigt termin dauer abfahrt ankunft gleis zug bahnsteig flughafen bahnhof haltestelle bus linie
    richtung ausgang raum etage stock stockwerk haus straße platz tür temperatur grad wetter regen wind gewicht größe
    länge höhe breite alter anzahl entfernung geschwindigkeit bestellung nachricht nachrichten fertig bereit artikel
    warenkorb sterne bewertung treffen warte warten ruf rufe komme bin bist seid minute stunde sekunden tagen jahren
    mal fehlt fehlen circa alles klar gerne hallo tschüss große großer kleine lang kurz offen parken ausfahrt
    hinzufügen mischen rühren ofen vorheizen gramm spieler spiel spiele flug verspätet schuhe kleidung gratis verkauft
    gesucht mindestens höchstens insgesamt jeweils beim ins unserem unsere euch mein dein sein katze katzen hund hunde
    abb querschnitt küche bad plätze frei spielstand folge akku gewinn stimmen wartezeit hausnummer gegründet auflage
    geschafft fehler gefunden quelle stand foto bild karte einwohner fläche umsatz verlust anteil zuschauer besucher
    teilnehmer sitze ziel runde rang staffel aufgabe frage antwort lösung punkte guthaben konto kunden rezept portionen
    lieferzeit werktage beitrag kommentare aufrufe abonnenten lektion übung treffer ergebnisse dateien datei fotos
    bilder ausgabe heft nummer level score telefon adresse datum bestellnummer kundennummer rechnungsnummer
    artikelnummer postleitzahl anschrift uhrzeit betrag menge stückzahl wohnfläche baujahr kilometerstand gültig abflug
    sitzplatz wagen zeile spalte ziffer frist stufe tag`,
  en: `
    the of and to in is that it was for on are as with his they at be this have from or had by but some what there we
    can out other were all your when up use word how said an each she which do their time if will way about many then
    them would like so these her long make see him two has look more day could go come did my no most who over know
    than call first people may down been now find any new take get made where after back only me our under a i you he
    starts costs leaves am pm page chapter number bring buy add mix bake wait send please thanks open press run walked
    went got won lost opens closed hours opening monday tuesday wednesday thursday friday saturday sunday weekdays
    holidays daily january february march april june july august september october november december coffee tea bread
    cheese butter milk water beer wine soup salad rice menu special breakfast lunch dinner bottle piece pieces cup cups
    tablespoon tablespoons teaspoon tsp tbsp pinch ingredients step part section volume return contents introduction
    appendix table figure offer sale discount off free pay total sum invoice price shipping delivery night nights rooms
    room double single adults children kids entry ticket appointment duration departure departs arrival arrives
    platform station airport stop bus line exit hall building house street square door temperature degrees weather rain
    wind weight height length width age distance speed order orders message messages ready items item cart stars
    reviews meet waiting coming minute minutes seconds second hour years year days weeks last left remaining hi hey
    hello bye big large small half stir oven preheat grams egg eggs sugar flour salt est cost flat floor gate seat
    level version via pro per latte team players score points game goal pages size parking delayed missing paid pays
    lives live lived works worked born died says ran played plays bought sold built moved held kept found gave given
    taken took told asked called tried used needs needed wants wanted likes liked looks looked seems feels became begin
    began started ends ended grew rose fell dropped reached hit beat beats scored wins win won't don't didn't isn't
    wasn't can't it's that's i'm you're they're we're let's he's she's against between during without within above
    below near across along among while until since before both same such own still even never always often again once
    twice ago later early late today tomorrow yesterday tonight morning afternoon evening noon midnight week month
    quarter century decade old young short high low tall wide deep heavy light fast slow hot cold warm cool full empty
    best better worst good great nice bad right wrong true false yes ok okay sure man woman men women boy girl child
    father mother family friend home city town state country world war peace king queen president law school college
    university student students teacher doctor dr mr mrs ms prof hospital church company market bank money dollars
    dollar cents pounds percent million billion thousand hundred third fifth name names words lines list file files
    paper book books story letter picture music song film movie video phone email address website computer software
    data model users user test results report study research science history government election vote votes party
    police court case road highway route mile miles feet foot inch inches yard yards pound ounce gallon gallons mph
    snow sun games match season league club player coach ball race round final record head hand eye body heart life
    death land sea river lake mountain island north south east west area region population density located founded
    established known including according around almost nearly least less every none one three four five six seven
    eight nine ten eleven twelve exhibit question answer problem example note notes welcome sorry happy birthday york
    london san los angeles avenue drive lane boulevard apt suite unit block marker air force army navy regiment say
    times apple apples pi symphony class goes bigger smaller battery flight canceled cancelled serves result source
    photo error errors comments views subscribers`,
  fr: `
    le la les de des du un une et est en que qui dans pour pas sur avec au aux ce il elle nous vous je tu ils elles se
    ne plus par sont mais ou où son sa ses leur cette ces été être avoir a ont fait comme tout tous très bien aussi y
    on mon ma mes votre notre deux fois ans euros mois jour heures rendez coûte prix part commence chapitre page perdu
    gagné train voie arrive appartement pièces ajoutez farine sel œufs cuire régna habite siècle mesure pèse passé soit
    marqué minute semaine bonjour merci oui non aujourd demain hier prenez comprimé pendant tél rue étage mars avril
    juin août points quand pourquoi comment ici là ouvert ouverte fermé fermée horaires horaire ouverture fermeture
    lundi mardi mercredi jeudi vendredi samedi dimanche janvier février septembre octobre novembre décembre café thé
    pain fromage beurre eau bière vin soupe salade plat menu formule entrée dessert déjeuner dîner petit bouteille
    morceau litre cuillère cuillères cuillerée pincée ingrédients étape partie section tome retour sommaire
    introduction annexe tableau figure promotion promo remise réduction gratuit achetés offert seulement total somme
    facture payer acheter vente livraison nuit nuits chambre double simple adulte adultes enfants enfant tarif réduit
    durée départ arrivée quai gare aéroport arrêt bus ligne direction sortie salle pièce bâtiment maison place porte
    température degrés météo pluie vent poids taille longueur hauteur largeur âge nombre distance vitesse commande
    message messages nouveaux nouveau nouvelle prêt prête articles article panier étoiles avis voit attends attend
    appelle suis serai dernier dernière secondes an fini reste encore environ salut ok grand grande gros petite petits
    mélanger four préchauffer grammes versez ajouter laissez crème stationnement pointure joueurs joueur match vol
    retardé retard chaussures manque vendu cherche minimum maximum chacun chaque nos vos tes annulé épisode légende
    niveau terminé résultats trouvés fondée fondé score votes oeufs batterie délai source photo carte habitants
    superficie chiffre spectateurs participants siège but tour rang saison question réponse exercice leçon commentaires
    vues abonnés fichiers fichier recette personnes numéro édition exemplaires trouvé erreurs adresse téléphone date
    heure montant quantité voiture valable série référence rayon`,
  'es pt': `
    de que por para no se como o entre me nos e ser vemos capítulo página gol minuto tome comprimido horas minutos
    semana sábado sábados domingo domingos abril agosto café sopa litro ingredientes índice anexo figura oferta total
    pagar comprar adultos entrada tarifa parada sala segunda casa temperatura peso altura número pedido espero segundos
    hora grande grandes vendido mínimo máximo resultados fundada cancelado votos foto mapa habitantes participantes
    temporada encontrados`,
  es: `
    el la los las del un una y es en con lo su al más pero sus le ya este sí porque esta cuando muy sin sobre también
    hasta hay donde quien desde todo durante todos uno les ni contra otros ese eso ante ellos esto mí antes algunos qué
    unos yo otro otras otra él tanto esa estos mucho nada muchos cual poco ella estar estas tengo cuesta mes precio
    años día son fue tiene empieza sale añade mezcla hornea harina azúcar huevos taza tazas sal necesito quiero tren
    andén llega piso planta ganó cada puntos cayó vive hoy mañana ayer gracias hola buenos cómo cuándo nueva nuevo
    leche tomates agua oprima pulse marque abierto abierta cerrado cerrada horario horarios apertura lunes martes
    miércoles jueves viernes festivos enero febrero marzo mayo junio julio septiembre octubre noviembre diciembre té
    pan queso mantequilla cerveza vino ensalada menú plato ración postre desayuno almuerzo comida cena botella trozo
    cucharada cucharadas cucharadita pizca paso sección tomo regreso introducción tabla descuento gratis solo suma
    factura venta envío noche noches habitación doble individual adulto niños cita duración salida llegada vía estación
    aeropuerto autobús línea dirección primera edificio calle plaza puerta grados tiempo lluvia viento largo ancho edad
    distancia velocidad mensaje mensajes nuevos listo lista artículos artículo carrito estrellas opiniones quedamos
    llego llamo van respuesta año últimas quedan faltan aproximadamente vale adiós gran pequeño medio añadir mezclar
    remover horno precalentar gramos huevo tienes cocer aparcamiento gratuito talla jugadores jugador partido vuelo
    retrasado retraso zapatos busco nuestro nuestra personas gente episodio nivel completado fundado batería marcador
    plazo mayores receta aforo plazas nota entradas fuente superficie ventas asiento ronda puesto pregunta ejercicio
    lección comentarios vistas suscriptores archivos archivo edición errores capacidad teléfono fecha importe cantidad
    coche`,
  it: `
    il lo la i gli le di del della dei delle un una e è in che per con non si da al alla come ma anche ho ha sono più
    su nel nella o se questo questa mi ci ti vi tra fra quando dove chi cosa molto tutto tutti essere avere fatto suo
    sua loro noi voi lui lei io tu dal dalla sul ai anni euro mese ore inizia parte costa prezzo totale vediamo
    capitolo pagina aggiungi farina latte uova cuoci zucchero sale treno binario arriva appartamento abita via piano
    perso punti vinto gol minuto prenda compressa ogni giorno giorni settimana secolo vivevano salito oggi domani ieri
    grazie ciao buongiorno nuovo nuova circa minuti aperto aperta chiuso chiusa orario orari apertura chiusura lunedì
    martedì mercoledì giovedì venerdì sabato domenica festivi gennaio febbraio marzo aprile maggio giugno luglio agosto
    settembre ottobre novembre dicembre caffè tè pane formaggio burro acqua birra vino zuppa insalata menù menu piatto
    antipasto dolce colazione pranzo cena bottiglia pezzo pezzi litro cucchiaio cucchiai cucchiaino pizzico ingredienti
    passo passaggio sezione tomo ritorno indice introduzione allegato tabella figura offerta sconto gratis solo somma
    fattura pagare paghi prendi comprare vendita spedizione notte notti camera doppia singola adulti bambini ingresso
    tariffa ridotto appuntamento durata partenza arrivo stazione aeroporto fermata autobus linea direzione uscita sala
    aula stanza terzo secondo primo edificio casa piazza porta temperatura gradi tempo pioggia vento peso altezza
    lunghezza larghezza età numero distanza velocità ordine messaggio messaggi nuovi pronto pronta articoli articolo
    carrello stelle recensioni aspetto aspettare chiamo secondi ora anno ultimi mancano restano grande grandi piccolo
    mezzo mezza aggiungere mescolare forno preriscaldare grammi uovo hai hanno dalle alle dopo prima cappuccino
    cornetto parcheggio gratuito taglia giocatori giocatore partita volo ritardo scarpe venduto cerco minimo massimo
    ciascuno nostro nostra episodio livello completato risultati fondata fondato batteria risultato voti ricetta
    persone cancellato posti fonte foto mappa abitanti superficie spettatori partecipanti turno posto stagione domanda
    risposta esercizio lezione commenti visualizzazioni iscritti edizione errori trovati consegna telefono indirizzo
    importo quantità carrozza volume data`,
  pt: `
    a os as do da dos das um uma é em com não na nas ao à às mais mas foi ele ela seu sua ou quando muito há já está eu
    também só pelo pela até isso era depois sem mesmo aos ter seus quem esse eles estão você tinha foram essa num nem
    suas meu minha têm numa pelos tenho custa mês preço começa parte anos dia reunião são adicione farinha açúcar ovos
    asse trem plataforma chega apartamento andar caiu pontos dólar fechou viviam cerca pessoas mora venceu tempo dias
    ligue hoje amanhã ontem obrigado obrigada olá bom novo nova reais rua aberto aberta fechado fechada horário
    horários abertura terça quarta quinta sexta feira feriados janeiro fevereiro março maio junho julho setembro
    outubro novembro dezembro chá pão queijo manteiga leite água cerveja vinho salada cardápio ementa prato sobremesa
    almoço jantar garrafa pedaço colher colheres pitada passo etapa seção secção volume regresso retorno introdução
    tabela promoção desconto grátis leve pague apenas soma fatura venda envio frete noite noites quarto duplo casal
    solteiro crianças consulta duração partida saída chegada linha comboio estação aeroporto paragem ônibus autocarro
    direção segundo primeiro terceiro edifício prédio praça porta graus chuva vento comprimento largura idade distância
    velocidade mensagem mensagens novas novos pronto pronta artigos itens carrinho estrelas avaliações chego ligo faz
    resposta ano últimos faltam restam tchau pequeno meio meia acrescente adicionar misturar forno gramas ovo tem temos
    daqui vamos ver pra estacionamento tamanho jogadores jogador jogo voo atrasado atraso sapatos procuro nosso nossa
    pro episódio nível concluído bateria placar receita vagas fonte área espectadores assento rodada lugar pergunta
    exercício lição comentários visualizações inscritos arquivos arquivo edição erros corte data telefone endereço
    valor quantidade carruagem`,
  pl: `
    i w na z do się nie to jest że o jak po co za od ale tak dla przez ma by go był już tylko jego jej ich ten ta te
    być są przy bez czy mam może oraz lub tym tego które który która także gdy kiedy gdzie bardzo będzie było była ze
    we ja ty on ona my wy cena wynosi zaczyna rok roku miesięcznie kosztuje zobaczenia godz pociąg peronu przyjeżdża
    mieszkanie spotkanie dodaj mąki cukru jajka piecz spadł mieszkało osób zmarł wygrała wygrał gol padł minucie brać
    tabletkę razy dziennie wzrosła ul dziś jutro wczoraj dziękuję proszę nowy nowa godzin minut dni tygodniu stycznia
    lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia pok otwarte otwarty
    zamknięte nieczynne czynne godziny otwarcia poniedziałek wtorek środa czwartek piątek sobota sobotę niedziela
    niedziele święta codziennie kawa herbata chleb ser masło mleko mleka woda wody piwo wino zupa sałatka menu danie
    obiad śniadanie kolacja dnia butelka sztuka sztuk litr łyżka łyżki łyżek łyżeczka szczypta składniki krok część
    sekcja tom powrót spis wstęp załącznik tabela rysunek promocja oferta rabat zniżka gratis razem suma faktura zapłać
    kup sprzedaż dostawa noc nocy pokój dwuosobowy jednoosobowy dorośli dzieci bilet termin czas odjazd odjeżdża
    przyjazd peron stacja dworzec lotnisko lotniska przystanek autobus linia kierunek wyjście sala budynek dom ulica
    plac drzwi temperatura stopni pogoda deszcz wiatr waga wysokość długość szerokość wiek liczba odległość prędkość
    zamówienie wiadomość wiadomości nowych nowe gotowe gotowy produkty koszyk gwiazdki opinie spotkamy czekam zadzwonię
    będę masz jestem minuty sekund godzinę lat ostatnie zostało około cześć pa duży duże mały pół dodać wymieszaj
    piekarnik gram jajko jajek piętro cenie zł parking bezpłatny rozmiar zawodnik zawodników mecz mecze lot opóźniony
    opóźnienie buty sprzedam szukam minimum maksimum brakuje kot koty psy pies odcinek poziom wyniki wynik bateria
    źródło zdjęcie mapa mieszkańców powierzchnia widzów uczestników miejsce runda sezon pytanie odpowiedź ćwiczenie
    lekcja komentarze wyświetleń plik pliki numer wydanie błędy głosy ukończony założona telefon adres data rozdział
    strona strony godzina kwota ilość wagon tydzień wiersz`,
  fi: `
    ja on ei se että en oli hän olen mutta ovat niin kuin tai myös jos joka mikä mitä minä sinä me te he minulla
    sinulla hänellä ole olla kun nyt vain sitten tämä tuo jo kaikki hyvin vielä hinta klo maksaa nähdään kuluttua
    kuukaudessa alkaa lähtee vuotta vuonna noin yli kanssa jälkeen ennen mukaan sekä juna raiteelta kello asunto kerros
    päivä päivää tuntia viikossa tänään huomenna eilen kiitos hei uusi pistettä voitti lisää jauhoja sokeria munaa
    paista minuuttia avoinna auki suljettu kiinni aukioloajat maanantai tiistai keskiviikko torstai perjantai lauantai
    sunnuntai sunnuntaisin arkisin pyhinä päivittäin tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta
    heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta kahvi tee leipä juusto voi maito maitoa vesi vettä
    olut viini keitto salaatti ruokalista annos päivän aamiainen lounas illallinen pullo kpl litra ruokalusikka
    ruokalusikallista rkl tl teelusikallista ripaus ainekset vaihe luku osa kappale paluu sisältö johdanto liite
    taulukko kuva tarjous alennus ilmainen osta maksa yhteensä summa lasku myynti toimitus yö yöltä yötä alkaen euroa
    senttiä huone huonetta aikuiset lapset pääsymaksu aika kesto lähtö saapuu laituri asema lentokenttä lentokentältä
    pysäkki bussi linja suunta uloskäynti sali rakennus talo katu tori ovi lämpötila astetta sää sade tuuli paino
    korkeus pituus leveys ikä määrä etäisyys nopeus tilaus viesti viestiä viestit uutta uudet valmis tuotetta tuotteet
    ostoskori tähteä arvostelut soitan odotan odottanut tulen tulee oletko minuutin minuutissa sekuntia tunnin vuosi
    viimeiset jäljellä suunnilleen moi heippa iso isoa pieni puoli sekoita uuni grammaa jauho sokeri muna sinulle sinun
    minun pulla pysäköinti koko pelaajaa pelaaja ottelu otteluun lento myöhässä kengät myydään etsitään vähintään
    enintään tarvitaan sivu sivua numero puhelin osoite paikka vaunu taso viikko saapuminen oppitunti harjoitus kysymys
    vastaus rivi tilausnumero`,
  'id ms': `
    yang dan di ini itu dengan untuk dari dalam tidak akan pada adalah ke saya kami kita mereka dia ada oleh juga atau
    sudah seperti lebih telah harus hanya anda para sebuah pukul jam bulan tahun hari harganya jumpa kereta sangat
    orang saat naik turun gula terima kasih perang dunia pertama kedua ketiga buka tutup selasa rabu sabtu minggu kopi
    teh roti keju susu air nasi goreng ayam ikan menu makan makanan minuman siang malam pagi botol potong buah langkah
    bab perjalanan isi gambar beli bayar jumlah tiket masuk arah keluar ruang lantai rumah jalan pintu suhu cuaca hujan
    angin berat tinggi panjang lebar umur jarak pesanan surat siap tunggu aku kamu ya lagi detik harga mulai ribu juta
    besar kecil parkir pemain penerbangan dijual dicari hasil dibatalkan berumur kucing anjing tinggal halaman alamat
    pelajaran latihan baris`,
  id: `
    bisa karena bahwa punya biayanya dapat rapat dimulai sampai desember mobil uang kantor berangkat belum secara ulang
    abad jalur tambahkan telur tepung menit besok kemarin masa indah senin kamis jumat libur januari februari maret mei
    juni juli agustus oktober mentega bir sup salad mie sapi sarapan sore butir biji liter sendok sejumput bahan bagian
    jilid kepulangan pulang pendahuluan lampiran tabel promo diskon gratis total belanja faktura jual kirim ongkir
    permalam kamar dewasa anak jadwal lama keberangkatan kedatangan stasiun bandara halte bus gedung derajat usia nomor
    kecepatan pesan baru barang keranjang bintang ulasan ketemu telepon kalian dibalas rupiah anggota kira setengah
    aduk campur oven gram hangat ukuran pertandingan terlambat sepatu minimal maksimal butuh buat ditemukan baterai
    didirikan perlu hewan bola menang kalah tanggal kursi gerbong tingkat peron durasi faktur pertanyaan jawaban`,
  ms: `
    ialah boleh kerana bahawa kosnya ekor sebanyak mesyuarat bermula petang disember bertolak wang pejabat sebulan
    kepada ringgit isnin khamis jumaat ahad cuti mac julai ogos tengah bilik tingkat diskaun percuma sahaja lapangan
    terbang stesen perhentian bas darjah mesej baharu saiz perlawanan lewat kasut minit api sila cawan perlukan pekerja
    bateri ditubuhkan hingga seorang ahli bahagian rajah tambah bangunan nombor dijumpai muka jualan tawaran telefon
    tarikh tempat gerabak aras platform berlepas ketibaan bahan tempoh invois soalan jawapan jilid`,
  sw: `
    na ya wa ni kwa katika la za kuwa hii hiyo huo huu si au lakini pia kama baada kabla yake wake sana watu mtu mimi
    wewe yeye sisi wao nina una ana tuna bei mwezi mwaka siku saa dakika tarehe leo kesho kila hadi zaidi cha vya ina
    mbwa paka inaondoka unaanza inagharimu tutaonana mkutano shilingi alikuwa ilikuwa fungua wazi imefungwa jumatatu
    jumanne jumatano alhamisi ijumaa jumamosi jumapili januari kahawa chai mkate maziwa maji nyama chakula sura sehemu
    hatua chumba ghorofa treni kituo ujumbe mpya oda tayari nitakuja subiri`,
  tl: `
    ang ng sa mga na ay at ito si ni kay para hindi ko mo niya natin namin nila siya ako ikaw tayo kami sila may
    mayroon akong bawat loob buwan taon araw oras din rin lang pa po kung nang isang iyon dito doon presyo aalis
    magsisimula magkita nagkakahalaga pulong tren minuto kita bukas sarado lunes martes miyerkules huwebes biyernes
    sabado linggo enero kape tinapay gatas tubig kanin almusal tanghalian hapunan kabanata bahagi hakbang kuwarto
    palapag istasyon mensahe bagong order handa hintay piso`,
  tr: `
    ve bir bu da de için ile çok daha ne var yok ben sen biz siz onlar mı mi mu mü ama gibi kadar sonra önce olarak
    olan olduğu değil her şey en o şu ya veya ki saat gün ay yıl ayda fiyatı tutuyor kalkıyor başlıyor toplantı köpeğim
    kedim görüşürüz dakika diye göre oldu arttı fiyat lira yeni büyük tren perondan varıyor daire kirası kat odada
    ekleyin pişirin puandan kapandı yüzyılda burada yaklaşık kişi yaşıyordu öldü kazandı gol dakikada geldi günde kez
    tablet alın cad bugün yarın dün teşekkürler merhaba numaralı mah sok açık kapalı çalışma saatleri pazartesi salı
    çarşamba perşembe cuma cumartesi pazar günleri tatil ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim
    kasım aralık kahve çay ekmek peynir tereyağı süt su bira şarap çorba salata menü yemek kahvaltı öğle akşam şişe
    adet tane litre kaşığı kaşık tutam malzemeler adım bölüm kısım cilt dönüş içindekiler giriş ek tablo şekil kampanya
    indirim ücretsiz bedava öde sadece toplam tutar fatura satın satış kargo teslimat gece gecelik oda kişilik yetişkin
    çocuk bilet randevu süre kalkış varış peron istasyon havaalanı havaalanına durak otobüs hat yön çıkış salon bina ev
    sokak meydan kapı sıcaklık derece hava yağmur rüzgar ağırlık boy yükseklik uzunluk genişlik yaş sayı mesafe hız
    sipariş mesaj mesajınız mesajlar hazır ürün sepet yıldız yorum buluşalım görüşelim bekliyorum ararım geliyorum
    oradayım cevap dakikaya saniye saatte yıllık son kaldı kalan selam küçük yarım ekle karıştırın fırın gram un şeker
    yumurta dk sa numara nolu itibaren başlayan fiyatlar menemen al otopark beden oyuncu maç uçuş gecikmeli gecikme
    ayakkabı satılık aranıyor asgari azami eksik ilk seviye sonuç pil skor oylar kaynak fotoğraf harita nüfus sezon
    soru ders görüntüleme dosya baskı hata tarif batarya görüntülenme telefon adres sayfa sayfası tarih miktar boyut
    koltuk vagon hafta ünite alıştırma satır`,
  vi: `
    là và của có không được cho một những các với trong này đó đã sẽ đang tôi bạn anh chị em nó họ chúng ta ở từ đến
    khi thì mà cũng như về người ngày tháng năm giờ phút giá đồng lúc sau mỗi con hẹn gặp bắt đầu rất hay nhiều tàu
    khởi hành ga tăng giảm mở cửa đóng hằng hàng thứ hai ba tư sáu bảy chủ nhật nghỉ lễ tết cà phê trà sữa bánh nước
    bia rượu cơm phở bún gà bò cá món ăn sáng trưa tối thực đơn chai miếng lít thìa muỗng nhúm nguyên liệu bước chương
    phần tập mục lục trở giới thiệu phụ bảng hình khuyến mãi miễn phí mua tặng chỉ tổng cộng hóa bán giao đêm phòng đôi
    lớn trẻ vé vào lịch thời gian chạy xuất phát bến sân bay trạm xe buýt tuyến hướng lối tầng tòa nhà đường số nhiệt
    độ trời mưa gió cân nặng cao dài rộng tuổi khoảng cách tốc tin nhắn mới xong sẵn sàng sản phẩm giỏ sao đánh chờ gọi
    lại nữa rồi nhé tí giây quả trứng bột mì to nhỏ nửa thêm trộn lò đỗ cỡ giày cầu thủ trận trễ chậm cần tìm thiểu đa
    thiếu trang điện thoại địa lượng ghế toa mức tuần quyển dòng câu hỏi`,
};

const found = new Map<string, readonly string[]>();
for (const [languages, words] of Object.entries(lists)) {
  for (const word of words.trim().split(/\s+/)) found.set(word, [...(found.get(word) ?? []), ...languages.split(' ')]);
}

/** Languages of a word in lower case. */
export const languagesOfWord: ReadonlyMap<string, readonly string[]> = found;

/** Languages with words here. */
export const wordyLanguages = [...new Set(Object.keys(lists).flatMap((languages) => languages.split(' ')))];

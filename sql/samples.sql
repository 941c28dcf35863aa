-- Rows of the files that catalogue.seed() makes: a heading, then the rows.  The airports are of OurAirports, which is
-- in the public domain; concentrations, districts and amounts are invented.

-- Return sample rows: airports; part of catalogue.seed().
CREATE FUNCTION catalogue.sample_airports(language text) RETURNS SETOF text[] LANGUAGE sql STABLE AS
$$
    SELECT CASE language
        WHEN 'es' THEN '{código,nombre,país,continente,radiofaro,elevación_ft,latitud,longitud}'::text[]
        ELSE '{code,name,country,continent,beacon,elevation_ft,latitude,longitude}' END
    UNION ALL
    SELECT a.cells[1:3] || CASE language WHEN 'es' THEN c.spanish ELSE c.english END || a.cells[5:]
    FROM (SELECT string_to_array(line, ';')
          FROM string_to_table(trim(E'\n' FROM $sample$
AGGH;Honiara;SB;OC;VOR-DME;45;-9.4367;160.0170
ANYN;Nauru;NR;OC;VOR-DME;22;-0.5438;166.9210
AYGN;Gurney;PG;OC;VOR-DME;23;-10.3158;150.3620
BGTL;Thule;GL;NA;VORTAC;1294;76.5424;-68.2392
BIAR;Akureyri;IS;EU;VOR-DME;2053;65.7597;-18.0042
CYBC;Baie-Comeau;CA;NA;VOR-DME;71;49.1340;-68.2222
CYBK;Baker Lake;CA;NA;VOR-DME;400;64.3181;-96.1047
CYBR;Brandon;CA;NA;VORTAC;1381;49.9100;-99.9457
CYCB;Cambridge Bay;CA;NA;VOR-DME;90;69.1178;-105.1730
CYQK;Sioux Narrows;CA;NA;VORTAC;1312;49.4767;-94.0467
CYSG;Beauce;CA;NA;VOR-DME;1584;45.9250;-70.8461
DAAG;Alger;DZ;AF;VOR-DME;82;36.6911;3.2156
DABB;Annaba;DZ;AF;VOR-DME;16;36.8167;7.8000
DBBB;Cotonou;BJ;AF;VOR-DME;39;6.3621;2.3932
DFOO;Bobo Dioulasso;BF;AF;VOR-DME;1404;11.1450;-4.3509
DGAA;Accra;GH;AF;VOR-DME;205;5.6341;-0.1553
DIAP;Abidjan;CI;AF;VOR-DME;30;5.2828;-3.9170
DNCA;Calabar;NG;AF;VOR-DME;211;4.9219;8.3200
DRZA;Agades;NE;AF;VOR;1673;16.9750;8.0232
DTTG;Gabes;TN;AF;VOR-DME;413;33.7322;9.9202
DXXX;Lome;TG;AF;VOR-DME;72;6.1841;1.2688
EBBR;Affligem;BE;EU;VOR-DME;284;50.9078;4.1389
EDDK;Cola;DE;EU;VORTAC;990;50.7835;7.5942
EDDW;Bremen;DE;EU;VOR-DME;40;53.0440;8.7821
EDND;Dinkelsbuhl;DE;EU;VORTAC;1790;49.1428;10.2383
EDXH;Helgoland;DE;EU;VOR-DME;44;54.1857;7.9107
EEKE;Kuressaare;EE;EU;VOR-DME;39;58.2283;22.5154
EFET;Enodak;FI;EU;VOR-DME;1127;68.3813;23.4618
EGAA;Belfast;GB;EU;VOR-DME;194;54.6611;-6.2300
EGJB;Guernsey;GG;EU;VOR-DME;355;49.4371;-2.6021
EGJJ;Jersey;JE;EU;VOR-DME;276;49.2211;-2.0461
EGKB;Biggin;GB;EU;VOR-DME;590;51.3309;0.0348
EGNS;Isle Of Man;IM;EU;VOR-DME;573;54.0669;-4.7635
EGPD;Aberdeen;GB;EU;VOR-DME;600;57.3106;-2.2672
EGPL;Benbecula;GB;EU;VOR-DME;130;57.4779;-7.3653
EHGG;Eelde;NL;EU;VOR-DME;32;53.1639;6.6667
EIME;Baldonnel;IE;EU;VOR-DME;300;53.2999;-6.4478
EKYT;Aalborg;DK;EU;VOR-DME;57;57.1037;9.9956
ENAN;Andoya;NO;EU;VOR-DME;54;69.2878;16.1414
EPTO;Grudziadz;PL;EU;VOR-DME;295;53.5212;18.7813
ESSA;Arlanda;SE;EU;VOR-DME;141;59.6534;17.9144
EVLA;Liepaja;LV;EU;VOR-DME;0;56.5186;21.0920
EYKA;Kaunas;LT;EU;VOR-DME;256;54.9598;24.0653
FAAB;Alexander Bay;ZA;AF;VOR-DME;98;-28.5707;16.5339
FABD;Burgersdorp;ZA;AF;VOR;4715;-30.9650;26.3227
FABL;Bloemfontein;ZA;AF;VORTAC;4416;-29.1005;26.3007
FBFT;Francistown;BW;AF;VOR-DME;3300;-21.1626;27.4739
FCBB;Brazzaville Maya Maya;CG;AF;VOR-DME;1048;-4.2456;15.2638
FDMS;Matsapha;SZ;AF;VOR-DME;2237;-26.5119;31.3236
FEFT;Berberati;CF;AF;VOR;1942;4.2294;15.7838
FGSL;Malabo;GQ;AF;VOR-DME;56;3.7682;8.7203
FHAW;Ascension Aux Af;SH;AF;VORTAC;495;-7.9699;-14.3973
FIMP;Plaisance;MU;AF;VOR-DME;488;-20.4200;57.6623
FKKU;Bafoussam;CM;AF;VOR-DME;4347;5.5083;10.3697
FLLI;Livingstone;ZM;AF;VOR;3302;-17.8126;25.8200
FMCH;Prince Said Ibrahim;KM;AF;VOR-DME;103;-11.5150;43.2767
FMCZ;Dzaoudzi Pamandzi;YT;AF;VOR-DME;23;-12.8110;45.2809
FMEE;St Denis Gillot;RE;AF;VOR-DME;57;-20.8848;55.5098
FMNM;Philibert Tsiranana;MG;AF;VOR-DME;87;-15.6575;46.3407
FNCA;Cabinda;AO;AF;VOR-DME;66;-5.6167;12.2000
FOON;Franceville;GA;AF;VOR-DME;1578;-1.6531;13.4439
FPST;Sao Tome;ST;AF;VOR-DME;33;0.3784;6.7171
FQBR;Beira;MZ;AF;VOR-DME;47;-19.7877;34.8717
FSPP;Praslin;SC;AF;VOR-DME;1106;-4.3074;55.7071
FTTC;Abeche;TD;AF;VOR;1804;13.8451;20.8450
FVBU;J M Nkomo;ZW;AF;VOR-DME;4359;-20.0291;28.6439
FWCL;Chileka;MW;AF;VOR-DME;2454;-15.6738;34.9165
FXMM;Mazenod;LS;AF;VOR-DME;5578;-29.5004;27.5406
FYGF;Grootfontein;NA;AF;VOR-DME;4636;-19.6028;18.1214
FZFD;Gbadolite;CD;AF;VOR-DME;1509;4.2470;20.9664
GAGO;Gao;ML;AF;VOR;852;16.2379;-0.0265
GBYD;Banjul;GM;AF;VOR-DME;95;13.3381;-16.6555
GFLL;Freetown Lungi;SL;AF;VOR-DME;84;8.6172;-13.1914
GLRB;Monrovia Roberts;LR;AF;VOR-DME;31;6.2395;-10.3583
GMAD;Agadir;MA;AF;VOR-DME;295;30.3219;-9.3833
GMMH;Dakhla;EH;AF;VOR-DME;43;23.7398;-15.9263
GOTT;Tambacounda;SN;AF;VOR;177;13.7277;-13.6640
GQPP;Nouadhibou;MR;AF;VOR-DME;16;20.9144;-17.0350
GUCY;Conakry;GN;AF;VOR-DME;72;9.5680;-13.6197
GVAC;Sal;CV;AF;VOR-DME;176;16.7368;-22.9510
HAAB;Addis Abeba;ET;AF;VOR-DME;7656;8.9750;38.7994
HBBA;Bujumbura;BI;AF;VOR-DME;2605;-3.3463;29.3220
HEAR;El Arish;EG;AF;VOR-DME;140;31.0730;33.8319
HHAS;Asmara;ER;AF;VOR-DME;7661;15.2840;38.9009
HJJJ;Juba;SS;AF;VOR-DME;1513;4.8887;31.5815
HKEL;Eldoret;KE;AF;VOR-DME;7137;0.4064;35.2311
HLLB;Benina;LY;AF;VOR-DME;433;32.1250;20.2533
HRYR;Kigali;RW;AF;VOR-DME;4891;-1.9692;30.1474
HSDN;Dongola;SD;AF;VOR-DME;802;19.1826;30.4273
HTDA;Dar Es Salaam;TZ;AF;VOR-DME;182;-6.8886;39.1927
HUEN;Entebbe;UG;AF;VOR-DME;3782;0.0530;32.4380
KACK;Nantucket;US;NA;VOR-DME;100;41.2818;-70.0267
KALO;Waterloo;US;NA;VORTAC;865;42.5565;-92.3989
KATL;Atlanta;US;NA;VORTAC;1000;33.6291;-84.4351
KDEC;Decatur;US;NA;VORTAC;708;39.7375;-88.8564
KDYS;Abilene;US;NA;VORTAC;1810;32.4813;-99.8635
KLCK;Appleton;US;NA;VORTAC;1350;40.1511;-82.5883
LATI;Tirana;AL;EU;VOR-DME;125;41.4161;19.7182
LBBG;Burgas;BG;EU;VOR-DME;197;42.5711;27.5199
LCLK;Larnaca;CY;AS;VOR-DME;20;34.8733;33.6267
LDDU;Dubrovnik;HR;EU;VOR-DME;525;42.5538;18.2774
LEAL;Alicante;ES;EU;VOR-DME;166;38.2683;-0.5701
LEAM;Almeria;ES;EU;VOR-DME;233;36.8332;-2.2594
LEBL;Barcelona;ES;EU;VOR-DME;23;41.3071;2.1078
LESA;Salamanca;ES;EU;VOR-DME;2982;41.0168;-5.4564
LFMN;Nice Cote D Azur;FR;EU;VOR-DME;12;43.6597;7.2244
LFOI;Abbeville;FR;EU;VOR-DME;223;50.1351;1.8547
LFOT;Amboise;FR;EU;VOR-DME;361;47.4289;1.0644
LFSB;Bale Mulhouse;FR;EU;VOR-DME;886;47.6328;7.4995
LGAL;Alexandroupolis;GR;EU;VOR-DME;26;40.8550;25.9572
LHBP;Budapest;HU;EU;VOR-DME;531;47.4504;19.2494
LIBD;Bari;IT;EU;VOR-DME;108;41.1443;16.7764
LIEA;Alghero;IT;EU;VORTAC;1447;40.6281;8.2439
LIPY;Ancona;IT;EU;VOR-DME;842;43.5864;13.4711
LJLJ;Dolsko;SI;EU;VOR-DME;2047;46.0841;14.7786
LKTB;Brno;CZ;EU;VOR-DME;800;49.1501;16.6926
LLBG;Ben Gurion;IL;AS;VOR-DME;100;32.0131;34.8752
LOWW;Fischamend;AT;EU;VOR-DME;639;48.1051;16.6293
LPBJ;Beja;PT;EU;VORTAC;620;38.1284;-7.9267
LQSA;Sarajevo;BA;EU;VOR-DME;5025;43.9339;18.4498
LRAR;Arad;RO;EU;VOR-DME;341;46.1841;21.1436
LSGG;Geneva Cointrin;CH;EU;VOR-DME;1377;46.2539;6.1322
LTAF;Adana;TR;AS;VOR-DME;49;36.9406;35.2103
LTAI;Antalya;TR;AS;VOR-DME;167;36.9222;30.7955
LTCJ;Batman;TR;AS;VOR-DME;1818;37.9375;41.1197
LUKK;Chisinau;MD;EU;VOR-DME;418;46.9264;28.8992
LWOH;Ohrid;MK;EU;VOR-DME;2313;41.1724;20.7364
LYBE;Beograd;RS;EU;VOR-DME;331;44.8193;20.3111
LZIB;Janovce;SK;EU;VOR-DME;423;48.1786;17.5447
MBGT;Grand Turk;TC;NA;VORTAC;36;21.4407;-71.1344
MDBH;Barahona;DO;NA;VOR-DME;34;18.2545;-71.1302
MGGT;La Aurora;GT;NA;VOR-DME;4952;14.5910;-90.5260
MHLC;Bonito;HN;NA;VOR-DME;49;15.7368;-86.8640
MKJP;Manley;JM;NA;VOR-DME;10;17.9302;-76.7776
MMAA;Acapulco;MX;NA;VOR-DME;13;16.7585;-99.7540
MMAN;Roberto;MX;NA;VOR-DME;1476;25.8654;-100.2390
MMAS;Aguascalientes;MX;NA;VOR-DME;6112;21.7114;-102.3190
MMCN;Obregon;MX;NA;VOR-DME;205;27.3948;-109.8370
MMLO;Leon;MX;NA;VOR-DME;5956;20.9973;-101.4830
MNMG;Managua;NI;NA;VOR-DME;194;12.1397;-86.1742
MPBO;Bocas Del Toro;PA;NA;VOR-DME;10;9.3400;-82.2516
MRLB;Liberia;CR;NA;VOR-DME;270;10.5933;-85.5467
MSLP;El Salvador;SV;NA;VOR-DME;114;13.4414;-89.0478
MTCH;Cap Haitien;HT;NA;VOR;10;19.7283;-72.1967
MUGM;Guantanamo Bay Ns;CU;NA;VOR;43;19.9045;-75.1988
MWCR;Grand Cayman;KY;NA;VOR-DME;8;19.2894;-81.3720
MYBS;Bimini;BS;NA;VORTAC;10;25.7039;-79.2936
MZBZ;Belize;BZ;NA;VOR-DME;39;17.5401;-88.3155
NCRG;Rarotonga;CK;OC;VOR-DME;40;-21.2017;-159.8150
NFNL;Labasa;FJ;OC;VOR-DME;32;-16.4183;179.3150
NFTF;Fua Amotu;TO;OC;VOR-DME;22;-21.2456;-175.1470
NLWW;Wallis;WF;OC;VOR-DME;75;-13.2396;-176.2020
NSFA;Faleolo;WS;OC;VOR-DME;58;-13.8243;-171.9890
NSTU;Pago Pago;AS;OC;VORTAC;31;-14.3326;-170.7080
NTTO;Hao;PF;OC;VOR-DME;10;-18.0819;-140.9410
NVVV;Bauerfield;VU;OC;VOR-DME;16;-17.6622;168.2440
NWWW;La Tontouta;NC;OC;VOR-DME;52;-22.0051;166.2120
NZAA;Auckland;NZ;OC;VOR-DME;13;-37.0046;174.8140
OBBI;Bahrain;BH;AS;VOR-DME;24;26.2642;50.6489
OEAB;Abha;SA;AS;VORTAC;6862;18.2419;42.6569
OERR;Arar;SA;AS;VORTAC;1811;30.9080;41.1422
OESK;Al Jouf;SA;AS;VORTAC;2261;29.7890;40.0742
OIAA;Abadan;IR;AS;VOR-DME;10;30.3870;48.2176
OIAW;Ahwaz;IR;AS;VOR-DME;66;31.3376;48.7643
OITL;Ardabil;IR;AS;VOR-DME;4315;38.3031;48.4410
OJAQ;Aqaba;JO;AS;VOR-DME;175;29.5835;35.0082
OKKK;Kuwait;KW;AS;VOR-DME;188;29.2184;47.9676
OLBA;Khaldeh;LB;AS;VOR-DME;87;33.8056;35.4847
OMAL;Al Ain;AE;AS;VOR-DME;842;24.2598;55.6064
OOFD;Fahud;OM;AS;VOR-DME;578;22.3487;56.4854
OPDI;D I Khan;PK;AS;VOR;594;31.9126;70.8857
ORMM;Basrah;IQ;AS;VOR-DME;15;30.5257;47.6867
OSAP;Aleppo;SY;AS;VOR-DME;1276;36.1792;37.2096
OTBD;Doha;QA;AS;VOR-DME;48;25.2336;51.5772
OYHD;Hodeidah;YE;AS;VOR-DME;41;14.7736;42.9881
PAKN;King Salmon;US;NA;VORTAC;89;58.7247;-156.7520
PANC;Anchorage;US;NA;VOR-DME;287;61.1508;-150.2070
PANT;Annette Island;US;NA;VOR-DME;174;55.0604;-131.5780
PGUM;Nimitz;GU;OC;VORTAC;658;13.4545;144.7330
PWAK;Wake Island;UM;OC;VORTAC;10;19.2850;166.6280
RCSS;Anpu;TW;AS;VOR-DME;3546;25.1769;121.5220
RJEC;Asahikawa;JP;AS;VOR-DME;769;43.6673;142.4570
RJKA;Amami;JP;AS;VORTAC;996;28.4437;129.5840
RJSK;Akita;JP;AS;VOR-DME;54;39.7116;140.0620
RKPC;Jeju;KR;AS;VORTAC;2450;33.3847;126.6240
RPME;Butuan;PH;AS;VOR-DME;141;8.9553;125.4860
SACO;Cordoba;AR;SA;VOR-DME;1588;-31.3133;-64.2036
SANC;Catamarca;AR;SA;VOR-DME;1522;-28.5836;-65.7467
SARC;Corrientes;AR;SA;VOR-DME;203;-27.4372;-58.7617
SAVC;Comodoro Rivadavia;AR;SA;VOR-DME;189;-45.7733;-67.3717
SAZB;Bahia Blanca;AR;SA;VOR-DME;246;-38.7200;-62.1583
SAZS;San Carlos De Bariloche;AR;SA;VOR-DME;2776;-41.1403;-71.1889
SAZY;San Martin De Los Andes;AR;SA;VOR-DME;2569;-40.0489;-71.0953
SBAN;Anapolis;BR;SA;VOR-DME;2960;-16.2607;-48.9920
SBAR;Aracaju;BR;SA;VOR-DME;26;-10.9840;-37.0714
SBAT;Alta Floresta;BR;SA;VOR-DME;947;-9.8684;-56.1049
SBAX;Araxa;BR;SA;VOR-DME;3989;-19.6890;-47.0605
SBBW;Garcas;BR;SA;VOR-DME;1147;-15.8535;-52.3957
SBES;Aldeia;BR;SA;VOR-DME;61;-22.8128;-42.0953
SBHT;Altamira;BR;SA;VOR;367;-3.2493;-52.2477
SCAR;Arica;CL;SA;VOR-DME;88;-18.3694;-70.3464
SCBA;Balmaceda;CL;SA;VOR-DME;1719;-45.9131;-71.7128
SCEL;Santiago;CL;SA;VOR-DME;1572;-33.4197;-70.7844
SCIE;Concepcion;CL;SA;VOR-DME;7;-36.7555;-73.0531
SEAM;Ambato;EC;SA;VOR-DME;9978;-1.2859;-78.5463
SGAS;Asuncion;PY;SA;VOR-DME;256;-25.2442;-57.5219
SKBG;Bucaramanga;CO;SA;VOR-DME;3958;7.1316;-73.1844
SKBO;Bogota;CO;SA;VOR-DME;9906;4.8454;-74.3246
SKBQ;Barranquilla;CO;SA;VOR-DME;295;10.7967;-74.8603
SKUC;Arauca;CO;SA;VOR-DME;424;7.0672;-70.7322
SLSB;San Borja;BO;SA;VOR;636;-14.8521;-66.7365
SMJP;Zanderij;SR;SA;VOR-DME;59;5.4505;-55.1844
SOCA;Cayenne;GF;SA;VOR-DME;26;4.8136;-52.3684
SPEO;Chimbote;PE;SA;VOR;70;-9.1475;-78.5219
SPHY;Andahuaylas;PE;SA;VOR-DME;11997;-13.7142;-73.3778
SPME;Tumbes;PE;SA;VOR;82;-3.5444;-80.3892
SUMU;Carrasco;UY;SA;VOR-DME;98;-34.8327;-56.0251
SVAC;Acarigua;VE;SA;VOR-DME;640;9.5548;-69.2362
SYCJ;Timehri;GY;SA;VOR-DME;95;6.4923;-58.2577
TAPA;V C Bird;AG;NA;VOR-DME;400;17.1259;-61.8002
TBPB;Adams;BB;NA;VOR-DME;169;13.0750;-59.4839
TFFF;Fort De France;MQ;NA;VOR-DME;39;14.5907;-61.0228
TFFR;Pointe A Pitre;GP;NA;VOR-DME;44;16.2652;-61.5401
TGPY;Point Salines;GD;NA;VOR-DME;40;12.0013;-61.7854
TIST;St Thomas;VI;NA;VOR-DME;679;18.3558;-65.0246
TJBQ;Borinquen;PR;NA;VORTAC;214;18.4980;-67.1084
TLPL;Hewanorra;LC;NA;VOR-DME;11;13.7334;-60.9771
TNCA;Aruba;AW;NA;VOR-DME;59;12.5098;-69.9407
TNCC;Curacao;BQ;NA;VOR-DME;29;12.2012;-69.0095
TTPP;Piarco;TT;NA;VOR-DME;60;10.4662;-61.3919
TXKF;Bermuda;BM;NA;VOR-DME;11;32.3644;-64.6896
UAAA;Almaty;KZ;AS;VOR-DME;2211;43.3744;77.0858
UAFM;Bishkek;KG;AS;VOR-DME;2051;43.0683;74.5217
UATE;Aktau;KZ;AS;VOR-DME;59;43.8586;51.1019
UATT;Aktyubinsk;KZ;AS;VOR-DME;735;50.2631;57.1839
UBBB;Baku;AZ;AS;VOR-DME;7;40.4724;50.0507
UGKO;Kutaisi;GE;AS;VOR-DME;200;42.1735;42.4561
UHBB;Blagoveschensk;RU;EU;VOR-DME;751;50.3933;127.4270
UHHH;Khabarovsk;RU;EU;VOR-DME;243;48.5444;135.2090
UIBB;Bratsk;RU;EU;VOR-DME;1608;56.3717;101.6870
UIII;Irkutsk;RU;EU;VOR-DME;1673;52.2700;104.3880
UKBB;Boryspil;UA;EU;VOR-DME;499;50.2856;30.8993
UMGG;Gomel;BY;EU;VOR-DME;482;52.5200;31.0517
UNAA;Abakan;RU;EU;VOR-DME;830;53.7450;91.3850
UNKL;Krasnoyarsk;RU;EU;VOR-DME;965;56.1700;92.5083
URSS;Sochi;RU;EU;VOR-DME;36;43.4033;39.9483
UTAA;Ashgabat;TM;AS;VOR-DME;710;37.9850;58.3517
UTDD;Dushanbe;TJ;AS;VOR-DME;2589;38.5417;68.8117
UTTT;Tashkent;UZ;AS;VOR-DME;1414;41.2600;69.2900
VAAH;Ahmedabad;IN;AS;VOR-DME;184;23.0722;72.6250
VAAU;Aurangabad;IN;AS;VOR-DME;1908;19.8647;75.3941
VABB;Mumbai;IN;AS;VOR-DME;36;19.0854;72.8754
VCBI;Bandaranaike;LK;AS;VOR-DME;29;7.1613;79.8685
VDPP;Phnom Penh;KH;AS;VOR-DME;56;11.5467;104.8420
VEAT;Agartala;IN;AS;VOR-DME;47;23.8896;91.2397
VEBD;Bagdogra;IN;AS;VOR-DME;412;26.6876;88.3260
VGCM;Comilla;BD;AS;VOR;25;23.4338;91.1901
VHHH;Cheung Chau;HK;AS;VOR-DME;357;22.2195;114.0300
VIAR;Amritsar;IN;AS;VOR-DME;752;31.7069;74.8008
VLLB;Luang Phabang;LA;AS;VOR-DME;948;19.8994;102.1600
VMMC;Macau;MO;AS;VOR-DME;30;22.1356;113.5980
VNVT;Biratnagar;NP;AS;VOR-DME;236;26.4808;87.2631
VQPR;Paro;BT;AS;VOR;7332;27.3000;89.5000
VRMG;Gan Island;MV;AS;VOR-DME;6;-0.6943;73.1555
VTBD;Bangkok;TH;AS;VOR-DME;54;13.8936;100.5960
VVBM;Buon Ma Thuot;VN;AS;VOR-DME;1736;12.6665;108.1230
VYDW;Dawei;MM;AS;VOR-DME;98;14.0982;98.1997
WAOO;Banjarmasin;ID;AS;VOR-DME;66;-3.4368;114.7310
WAPP;Ambon;ID;AS;VOR-DME;33;-3.6149;128.1860
WARS;Achmad Yani;ID;AS;VOR-DME;10;-6.9747;110.3800
WBSB;Brunei;BN;AS;VOR-DME;229;4.8746;114.8850
WITT;Banda Aceh;ID;AS;VOR-DME;64;5.5226;95.4222
WMKA;Alor Star;MY;AS;VOR-DME;15;6.1857;100.3970
WPDL;Dili;TL;AS;VOR-DME;10;-8.5440;125.5280
WSAP;Papa Uniform;SG;AS;VOR-DME;190;1.4233;103.9330
YARG;Argyle;AU;OC;VOR-DME;536;-16.6317;128.4490
YBAS;Alice Springs;AU;OC;VOR-DME;1857;-23.7929;133.8780
YBHI;Broken Hill;AU;OC;VOR-DME;968;-32.0006;141.4800
YMAV;Avalon;AU;OC;VOR-DME;35;-38.0489;144.4590
YMAY;Albury;AU;OC;VOR-DME;550;-36.0681;146.9660
YPAD;Adelaide;AU;OC;VOR-DME;32;-34.9469;138.5240
YPXM;Christmas Island;CX;AS;VOR-DME;1000;-10.4303;105.6900
YSNF;Norfolk Island;NF;OC;VOR-DME;327;-29.0473;167.9320
ZGGG;Cencun;CN;AS;VOR-DME;342;23.1500;113.4170
ZGHA;Changsha;CN;AS;VOR-DME;289;28.2033;113.2170
ZHCC;Zhengzhou;CN;AS;VOR-DME;495;34.5150;113.8430
ZKPY;Pyongyang;KP;AS;VOR-DME;92;39.2339;125.6730
ZMUB;Ulaanbaatar;MN;AS;VOR-DME;3984;47.8677;106.7340
ZPJH;Xishuangbanna;CN;AS;VOR-DME;1840;21.9846;100.7520
ZUCK;Chongqing;CN;AS;VOR-DME;1463;29.7217;106.6430
ZUUU;Baihesi;CN;AS;VOR-DME;1667;30.5083;104.2030
ZYCY;Chaoyang;CN;AS;VOR-DME;603;41.5367;120.4330
$sample$), E'\n') line) AS a(cells)
        JOIN (VALUES ('AF', 'Africa', 'África'), ('AS', 'Asia', 'Asia'), ('EU', 'Europe', 'Europa'),
                     ('NA', 'North America', 'América del Norte'), ('OC', 'Oceania', 'Oceanía'),
                     ('SA', 'South America', 'América del Sur')) AS c(code, english, spanish) ON c.code = a.cells[4]
$$;

-- Return sample rows: stations; part of catalogue.seed().
CREATE FUNCTION catalogue.sample_stations(language text) RETURNS SETOF text[] LANGUAGE sql IMMUTABLE AS
$$
    SELECT CASE language WHEN 'es' THEN '{estación,tipo,latitud,longitud}'::text[]
        ELSE '{station,type,latitude,longitude}' END
    UNION ALL
    SELECT ARRAY[name, CASE language WHEN 'es' THEN spanish ELSE english END, latitude, longitude]
    FROM (VALUES ('Alameda', 'traffic', 'tránsito', '-34.6037', '-58.3816'),
                 ('Belgrano', 'residential', 'residencial', '-34.5627', '-58.4583'),
                 ('Costanera', 'industrial', 'industrial', '-34.6345', '-58.3631'),
                 ('Mirador', 'residential', 'residencial', '-34.6686', '-58.4912'),
                 ('Parque', 'background', 'fondo', '-34.5711', '-58.4160'),
                 ('Terminal', 'traffic', 'tránsito', '-34.5895', '-58.3744'))
        AS s(name, english, spanish, latitude, longitude)
$$;

-- Return sample rows: the districts around the stations; part of catalogue.seed().
CREATE FUNCTION catalogue.sample_districts(language text) RETURNS SETOF text[] LANGUAGE sql IMMUTABLE AS
$$
    SELECT CASE language WHEN 'es' THEN '{distrito,población,no2,geometry}'::text[]
        ELSE '{district,population,no2,geometry}' END
    UNION ALL
    SELECT ARRAY[name, population, no2, format('POLYGON ((%s))', outline)]
    FROM (VALUES ('Alameda', '214300', '48.9',
                  '-58.44 -34.631, -58.427 -34.652, -58.355 -34.608, -58.398 -34.586, -58.44 -34.631'),
                 ('Belgrano', '168900', '26.1', '-58.448 -34.624, -58.433 -34.547, -58.46 -34.535, -58.5 -34.55, '
                  '-58.522 -34.601, -58.448 -34.624'),
                 ('Costanera', '41200', '37.0', '-58.427 -34.652, -58.421 -34.676, -58.4 -34.66, -58.35 -34.65, '
                  '-58.345 -34.625, -58.353 -34.608, -58.355 -34.608, -58.427 -34.652'),
                 ('Mirador', '96700', '22.8', '-58.448 -34.624, -58.522 -34.601, -58.53 -34.62, -58.52 -34.68, '
                  '-58.46 -34.705, -58.421 -34.676, -58.427 -34.652, -58.44 -34.631, -58.448 -34.624'),
                 ('Parque', '187500', '16.0', '-58.398 -34.586, -58.39 -34.568, -58.425 -34.55, -58.433 -34.547, '
                  '-58.448 -34.624, -58.44 -34.631, -58.398 -34.586'),
                 ('Terminal', '58600', '43.8', '-58.355 -34.608, -58.353 -34.608, -58.36 -34.595, -58.385 -34.57, '
                  '-58.39 -34.568, -58.398 -34.586, -58.355 -34.608'))
        AS d(name, population, no2, outline)
$$;

-- Return sample rows: air quality; part of catalogue.seed().  Less on Saturdays and Sundays, when fewer people drive.
CREATE FUNCTION catalogue.sample_air(language text) RETURNS SETOF text[] LANGUAGE sql STABLE AS
$$
    SELECT CASE language WHEN 'es' THEN '{fecha,estación,no2,pm10}'::text[] ELSE '{date,station,no2,pm10}' END
    UNION ALL
    (SELECT ARRAY[(date '2026-03-02' + day)::text, s.cells[1],
                  round(level * share + day * line % 4, 1)::text, round(level * 0.7 + day * line % 9, 1)::text]
     FROM generate_series(0, 55) day
         CROSS JOIN LATERAL (SELECT CASE day % 7 WHEN 5 THEN 0.72 WHEN 6 THEN 0.58 ELSE 1 END) AS w(share)
         CROSS JOIN (SELECT cells, line, (ARRAY[58, 31, 44, 27, 19, 52])[line - 1]::numeric AS level
                     FROM catalogue.sample_stations(language) WITH ORDINALITY AS t(cells, line)
                     WHERE line > 1) AS s
     ORDER BY day, line)
$$;

-- Return sample rows: a budget in millions; part of catalogue.seed().
CREATE FUNCTION catalogue.sample_budget(language text) RETURNS SETOF text[] LANGUAGE sql STABLE AS
$$
    SELECT CASE language WHEN 'es' THEN '{año,área,programa,presupuestado,ejecutado}'::text[]
        ELSE '{year,area,programme,planned,spent}' END
    UNION ALL
    (SELECT ARRAY[year::text, CASE language WHEN 'es' THEN spanish_area ELSE english_area END,
                 CASE language WHEN 'es' THEN spanish ELSE english END, planned::text,
                 round(planned * (100 - (number * 7 + year * 3) % 9) / 100, 1)::text]
    FROM generate_series(2016, 2025) year
        CROSS JOIN (VALUES
            (1, 'Health', 'Salud', 'Hospitals', 'Hospitales', 184.0),
            (2, 'Health', 'Salud', 'Primary care', 'Atención primaria', 96.0),
            (3, 'Health', 'Salud', 'Vaccination', 'Vacunación', 21.5),
            (4, 'Health', 'Salud', 'Emergency service', 'Emergencias', 33.0),
            (5, 'Education', 'Educación', 'Schools', 'Escuelas', 172.0),
            (6, 'Education', 'Educación', 'Kindergartens', 'Jardines de infantes', 61.0),
            (7, 'Education', 'Educación', 'School meals', 'Comedores escolares', 28.0),
            (8, 'Education', 'Educación', 'Libraries', 'Bibliotecas', 14.5),
            (9, 'Transport', 'Transporte', 'Roads', 'Caminos', 88.0),
            (10, 'Transport', 'Transporte', 'Buses', 'Colectivos', 54.0),
            (11, 'Transport', 'Transporte', 'Cycle paths', 'Ciclovías', 6.5),
            (12, 'Transport', 'Transporte', 'Street lights', 'Alumbrado', 17.0),
            (13, 'Environment', 'Ambiente', 'Waste collection', 'Recolección de residuos', 47.0),
            (14, 'Environment', 'Ambiente', 'Drainage', 'Desagües', 38.0),
            (15, 'Environment', 'Ambiente', 'Parks', 'Parques', 19.0),
            (16, 'Environment', 'Ambiente', 'Trees', 'Arbolado', 5.5),
            (17, 'Administration', 'Administración', 'Civil registry', 'Registro civil', 12.0),
            (18, 'Administration', 'Administración', 'Information technology', 'Informática', 23.0),
            (19, 'Administration', 'Administración', 'Buildings', 'Edificios', 26.0),
            (20, 'Administration', 'Administración', 'Open data', 'Datos abiertos', 1.5)
        ) AS p(number, english_area, spanish_area, english, spanish, base)
        CROSS JOIN LATERAL (
            SELECT round(base * (100 + (year - 2016) * (3 + number % 4)) / 100, 1)) AS b(planned)
    ORDER BY year, number)
$$;
